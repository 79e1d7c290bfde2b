package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.store.State;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The statements on a table of the user's, for one mapping. Names come from the database itself and are quoted; all else
 * is a parameter.
 *
 * <p>Whether a row is granted is decided by {@link #grantable}, inside the statement that changes it. A statement that
 * waits for a row changes no other, and no two are in one transaction: whatever else the user's transactions lock, they do
 * not deadlock with these.
 */
final class RowStatements {
    /** How many moments a row may have been left with, by renewals whose reply was lost. */
    static final int STAMPS = 4;

    /**
     * The commit of a statement with this condition does not wait for the disk. If a crash loses it, the row stays locked
     * until its lease expires.
     */
    private static final String WITHOUT_DISK = " AND (SELECT set_config('synchronous_commit', 'off', true)) <> ''";

    private final RowTable table;
    private final Dialect dialect;

    /**
     * Grants the row if it can: PostgreSQL. Gives back the row as it was when the statement began (0), as it was when it
     * was locked (2), if it could be granted then, and as it is now (1), if it was granted.
     */
    final Sql acquire;
    /** Grants the row if it is still as it was seen. */
    final Sql take;
    /** Makes a row that is granted. */
    final Sql insert;
    /** Drops a row if it has expired. */
    final Sql clear;
    /** The keys of a few other rows that have expired. */
    final Sql expired;

    final Sql clock;

    final Sql look;
    /** The same with the columns that a run reads. */
    final Sql record;

    final Sql renew;
    /** The same, but leaves a row alone that another transaction has locked; see {@link RowLocks}. */
    final Sql renewUnlocked;
    /** The same for another TTL, which may be shorter. */
    final Sql renewWithTtl;

    /** The leases on so many rows. */
    final SqlOfSize lookAtMany = new SqlOfSize(this::lookAtMany);
    /** The same with the columns that a run reads. */
    final SqlOfSize recordMany = new SqlOfSize(rows -> many(record(), rows));
    /** Renews the leases on so many rows, but does not wait for those that are locked; see {@link RowRenewingMany}. */
    final SqlOfSize renewMany = new SqlOfSize(this::renewMany);

    final Sql release;
    /** The same, but the attempt that ends counts. */
    final Sql releaseForRetry;

    /** Grants the row if it is free and not locked: PostgreSQL; see {@link RowPassing}. */
    final Sql takeFree;
    /** The same for many rows. */
    final Sql takeFreeMany;
    /** Gives back the leases on many rows: PostgreSQL; see {@link RowReleasing}. */
    final Sql releaseMany;

    final Sql fence;
    final Sql list;

    /** @param waitsForReleases whether a plain release waits until it is on the disk */
    RowStatements(RowTable table, boolean waitsForReleases) {
        this.table = table;
        this.dialect = table.dialect;
        String promptly = waitsForReleases || dialect != Dialect.POSTGRESQL ? "" : WITHOUT_DISK;
        String change = "UPDATE " + table.name + " SET ";
        String isKey = table.key.isKey();
        String ours = isKey + " AND " + held() + " AND " + ours();
        String renewing = renewing();
        String grantable = isKey + " AND " + grantable(isMine());
        String isExpired = isExpired(table.time);
        this.acquire = sql("WITH c AS (SELECT " + record() + " FROM " + table.name + " WHERE " + isKey + "),"
                + " s AS (SELECT " + record() + " FROM " + table.name + " WHERE " + grantable
                + " FOR NO KEY UPDATE SKIP LOCKED),"
                + " u AS (" + change + grant(freshStamp(), freshFence(), "CASE WHEN " + isMine() + " THEN 0 ELSE 1 END")
                + " WHERE " + grantable
                + " AND (SELECT count(*) FROM c) = 1 AND EXISTS (SELECT 1 FROM s) RETURNING " + record() + ")"
                + " SELECT 1 AS step, u.* FROM u UNION ALL SELECT 2, s.* FROM s UNION ALL SELECT 0, c.* FROM c");
        this.take = sql(unlocked(
                change + grant(table.time.writing(":stamp"), ":newFence", ":counted"),
                isKey + " AND coalesce(" + table.time.read() + ", -1) = :seen" + unchanged() + " AND "
                        + grantable(":overruled = 1"),
                " FOR NO KEY UPDATE"));
        this.insert = sql(insert());
        this.clear = sql(unlocked("DELETE FROM " + table.name, isKey + " AND " + isExpired, " FOR UPDATE"));
        this.expired = sql("SELECT " + table.key.text() + " AS k FROM " + table.name + " WHERE " + isExpired
                + " AND NOT (" + table.key.isRow() + ") LIMIT :limit" + passingByLocked());
        this.clock = sql("SELECT {now} AS now, " + table.time.clock() + " AS clock");
        // Where acquire makes the row, one whose key is the same but for case or blanks is in the way.
        String looked = " FROM " + table.name + " WHERE " + (table.mapping.makesRows() ? table.key.isRow() : isKey);
        this.look = sql("SELECT " + sight() + looked);
        this.record = sql("SELECT " + record() + looked);
        this.renew = sql(renewing + " WHERE " + ours + notShortened());
        this.renewUnlocked = sql(unlocked(renewing, ours + notShortened(), " FOR NO KEY UPDATE"));
        this.renewWithTtl = sql(unlocked(renewing, ours + notOvertaken(), " FOR NO KEY UPDATE"));
        String ending = table.mapping.makesRows() ? "DELETE FROM " + table.name : change + cleared();
        this.releaseForRetry = sql(ending + " WHERE " + ours);
        this.release = sql(ending + (table.mapping.makesRows() ? "" : noAttempts()) + " WHERE " + ours + promptly);
        this.takeFree = sql(change + grant(freshStamp(), "{greatest}(coalesce({fence}, 0) + 1, {now})", "1") + " WHERE "
                + isKey + " AND " + free() + " AND (SELECT set_config('lock_timeout', '20', true)) <> ''" + taken());
        this.takeFreeMany = sql("WITH locked AS (SELECT " + table.key.column() + " AS lockedrow, wanted.* FROM "
                + table.name + " AS leased, unnest(" + rowArray() + ", CAST(:rows AS text[]), :nonces, :owners, :ttls)"
                + " AS wanted(wantedrow, wantedtext, wantednonce, wantedowner, wantedttl) WHERE " + isWanted() + " AND "
                + free() + " FOR NO KEY UPDATE OF leased SKIP LOCKED) " + change
                + grant(freshStamp(), "{greatest}(coalesce({fence}, 0) + 1, {now})", "1")
                        .replace(":nonce", "wantednonce")
                        .replace(":owner", "wantedowner")
                        .replace(":ttl", "wantedttl")
                + " FROM locked WHERE " + table.key.column() + " = lockedrow AND " + free() + taken());
        this.releaseMany = sql(lockedByMark() + change + cleared() + noAttempts() + onLocked() + promptly
                + " RETURNING " + table.key.text() + " AS k");
        this.fence = switch (dialect) {
            case POSTGRESQL -> sql("SELECT 1 FROM " + table.name + " WHERE " + ours + " FOR NO KEY UPDATE");
            case MYSQL, H2 -> sql("SELECT 1 FROM " + table.name + " WHERE " + ours + " FOR UPDATE");
            // SQLite locks nothing before a write.
            case SQLITE -> sql(change + table.key.column() + " = " + table.key.column() + " WHERE " + ours);
        };
        this.list = sql("SELECT " + record() + " FROM " + table.name + " WHERE " + table.key.ordered()
                + " > :after AND "
                + table.key.ordered() + " >= :prefix AND (:end IS NULL OR " + table.key.ordered() + " < :end)"
                + " AND CASE WHEN " + (table.has(Role.FAILED) ? failed() : "1 = 0") + " THEN 'X' WHEN " + finished()
                + " THEN 'D' WHEN " + held() + " THEN 'H' ELSE 'F' END IN (:a, :b, :c, :d) ORDER BY "
                + table.key.ordered() + " LIMIT :limit");
    }

    private String renewing() {
        return "UPDATE " + table.name + " SET " + table.time.column() + " = " + renewedStamp() + heartbeat();
    }

    private Sql lookAtMany(int rows) {
        return many(sight(), rows);
    }

    /** How many places the statement on so many rows has; on PostgreSQL it takes any number. */
    int places(int rows) {
        return dialect == Dialect.POSTGRESQL ? 1 : SqlOfSize.places(rows);
    }

    /** The rows for a statement with so many places; the last fills those that are left. */
    Parameters rows(Lane lane, int places, List<Object> rows, List<String> keyTexts) {
        Parameters parameters = table.marks(lane.parameters());
        if (dialect == Dialect.POSTGRESQL) {
            return parameters.texts("rows", keyTexts, text -> text);
        }
        for (int i = 0; i < places; i++) {
            parameters.value("row" + i, rows.get(Math.min(i, rows.size() - 1)));
        }
        return parameters;
    }

    private Sql many(String columns, int rows) {
        return sql("SELECT " + columns + " FROM " + table.name + " WHERE " + table.key.column()
                + (dialect == Dialect.POSTGRESQL ? " = ANY (" + rowArray() + ")" : " IN (" + rowList(rows) + ")"));
    }

    /**
     * PostgreSQL passes the locked rows by, MariaDB fails if there is one. A row is known by its key and the mark of its
     * lease. MariaDB would not find the rows by their keys if these were named to the letter only.
     */
    private Sql renewMany(int rows) {
        String key = table.key.column();
        if (dialect == Dialect.POSTGRESQL) {
            return sql(lockedByMark() + renewing() + onLocked() + (canShorten() ? " AND " + isExtension() : ""));
        }
        String pair = "(" + table.key.exactValue() + ", :mark)";
        return sql((dialect == Dialect.MYSQL ? Statements.WITHOUT_WAITING : "") + renewing() + " WHERE " + key + " IN ("
                + rowList(rows) + ") AND (" + table.key.exact() + ", " + mark() + ") IN ("
                + (dialect == Dialect.SQLITE ? "VALUES " : "") + list(pair, rows) + ") AND " + held()
                + (canShorten() ? " AND " + isExtension() : ""));
    }

    /** Those of many leases whose row is theirs and that no other transaction has locked. */
    private String lockedByMark() {
        String key = table.key.column();
        return "WITH locked AS (SELECT " + key + " AS lockedrow, " + mark() + " AS lockedmark FROM " + table.name
                + " AS leased, unnest(" + rowArray()
                + ", CAST(:rows AS text[]), :marks) AS wanted(wantedrow, wantedtext, wantedmark)"
                + " WHERE " + isWanted() + " AND " + mark() + " = wantedmark AND " + held()
                + " FOR NO KEY UPDATE OF leased SKIP LOCKED) ";
    }

    /** The row's key is the wanted one, to the letter. */
    private String isWanted() {
        return table.key.column() + " = wantedrow"
                + (table.key.kind() == KeyColumn.Kind.TEXT ? " AND " + table.key.ordered() + " = wantedtext" : "");
    }

    private String onLocked() {
        return " FROM locked WHERE " + table.key.column() + " = lockedrow AND " + mark() + " = lockedmark";
    }

    /** Nobody has the row, nor had it until it expired, and it is not finished. */
    private String free() {
        return "NOT (" + finished() + ") AND NOT (" + held() + ")";
    }

    /** The columns that a grant returns: clock, key, time, fence, attempts, fields. */
    private String taken() {
        return " RETURNING {now} AS now, " + table.time.clock() + " AS clock, " + table.key.text() + " AS k, "
                + table.time.read() + " AS stamp"
                + table.quoted(Role.FENCE)
                        .map(column -> ", " + column + " AS seen_fence")
                        .orElse("")
                + table.quoted(Role.ATTEMPTS)
                        .map(column -> ", " + column + " AS seen_attempts")
                        .orElse("")
                + (table.canRun() ? table.fields().selected() : "");
    }

    private String rowArray() {
        return "CAST(:rows AS " + table.key.sqlType() + "[])";
    }

    private String rowList(int rows) {
        return list(table.key.value(), rows);
    }

    /** The parameters {@code :row} and {@code :mark} are numbered. */
    private static String list(String one, int size) {
        return IntStream.range(0, size)
                .mapToObj(i -> one.replace(":row", ":row" + i).replace(":mark", ":mark" + i))
                .collect(Collectors.joining(", "));
    }

    /** What tells a lease's row from one with the same key that is another's now; see {@link #ours}. */
    private String mark() {
        if (table.has(Role.NONCE)) {
            return table.compared(Role.NONCE).orElseThrow();
        }
        return table.quoted(Role.FENCE).orElseGet(table.time::read);
    }

    /**
     * The column is compared as it is, so that an index is used. SQLite would compare texts then, which programs write in
     * many ways: it must read them first. One that it cannot read has not expired.
     */
    private String isExpired(TimeColumn time) {
        return dialect == Dialect.SQLITE
                ? time.read() + " <= " + time.clock()
                : time.column() + " <= " + time.writing(time.floor(time.clock()));
    }

    /**
     * For databases where a change waits a moment for a locked row: H2, and MySQL, which alone reads this comment.
     * PostgreSQL and MariaDB do not wait; see {@link #unlocked}.
     */
    private String passingByLocked() {
        return switch (dialect) {
            case H2 -> " FOR UPDATE SKIP LOCKED";
            case MYSQL -> " /*!80001 FOR UPDATE SKIP LOCKED */";
            case POSTGRESQL, SQLITE -> "";
        };
    }

    /** A change that leaves a row alone that another transaction has locked. */
    private String unlocked(String change, String condition, String lock) {
        String plain = change + " WHERE " + condition;
        return switch (dialect) {
            case POSTGRESQL ->
                plain + " AND " + table.key.column() + " IN (SELECT " + table.key.column() + " FROM " + table.name
                        + " WHERE " + condition + lock + " SKIP LOCKED)";
            case MYSQL -> Statements.WITHOUT_WAITING + plain;
            case H2, SQLITE -> plain;
        };
    }

    /** Nothing happens, or an error of the kind that is tried again, if the key is there or is about to be. */
    private String insert() {
        String into = "INSERT INTO " + table.name + " (" + table.key.column() + ", " + table.time.column() + ")";
        String values = table.key.value() + ", " + table.time.writing(":stamp");
        return switch (dialect) {
            // The condition is evaluated first. It limits the wait for a transaction that makes or deletes the row.
            case POSTGRESQL ->
                into + " SELECT " + values + " WHERE (SELECT set_config('lock_timeout', '20', true)) <> ''"
                        + " ON CONFLICT DO NOTHING";
            case MYSQL -> Statements.WITHOUT_WAITING + into + " VALUES (" + values + ")";
            case SQLITE -> into + " VALUES (" + values + ") ON CONFLICT DO NOTHING";
            case H2 -> into + " VALUES (" + values + ")";
        };
    }

    /** All there is to know of a row, with what a run reads: only for those who are given that. */
    private String record() {
        return sight() + table.fields().selected();
    }

    /** All there is to know of the lease on a row, and of the clock. */
    private String sight() {
        StringBuilder columns = new StringBuilder("{now} AS now, " + table.time.clock() + " AS clock, "
                + table.key.text() + " AS k, CASE WHEN " + finished() + " THEN 1 ELSE 0 END AS finished, "
                + table.time.read() + " AS stamp, CASE WHEN NOT (" + finished() + ") AND " + held() + " AND "
                + table.time.read() + " IS NULL THEN 1 ELSE 0 END AS unreadable");
        for (Role role : List.of(Role.OWNER, Role.FENCE, Role.NONCE, Role.ATTEMPTS)) {
            table.quoted(role).ifPresent(column -> columns.append(", " + column + " AS seen_" + role));
        }
        if (table.has(Role.FAILED)) {
            columns.append(", CASE WHEN " + failed() + " THEN 1 ELSE 0 END AS failed");
        }
        return columns.toString();
    }

    /** Done or failed. No NULL comes out of this, so that it can be negated. */
    private String finished() {
        String done = table.mapping.doneValue() == null
                ? table.compared(Role.DONE)
                        .map(column -> column + " IS NOT NULL")
                        .orElse("1 = 0")
                : hasValue(Role.DONE, ":done");
        return table.has(Role.FAILED) ? "(" + done + " OR " + failed() + ")" : done;
    }

    private String failed() {
        return hasValue(Role.FAILED, ":failed");
    }

    private String hasValue(Role role, String value) {
        return table.compared(role)
                .map(column ->
                        "(" + column + " IS NOT NULL AND " + RowTable.text(column, dialect) + " = " + value + ")")
                .orElse("1 = 0");
    }

    /** Returns whether a statement that changes a row can return it. */
    boolean canReturn() {
        return dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE;
    }

    /** Ends a run: writes what the work returned, marks the row and clears the lock, if the row is still the holder's. */
    Sql settle(State state, List<String> written) {
        StringBuilder change = new StringBuilder("UPDATE " + table.name + " SET ");
        written.forEach(assignment -> change.append(assignment).append(", "));
        Role marker = state == State.DONE ? Role.DONE : Role.FAILED;
        table.quoted(marker).ifPresent(column -> change.append(column + " = " + marking(state) + ", "));
        if (state == State.FAILED) {
            table.quoted(Role.REASON).ifPresent(column -> change.append(column + " = :reason, "));
            table.quoted(Role.CODE).ifPresent(column -> change.append(column + " = :code, "));
        }
        // The fence and the nonce stay: they say which holder finished the row. So does the heartbeat, which may be
        // needed.
        change.append(table.time.column() + " = NULL");
        table.quoted(Role.OWNER).ifPresent(column -> change.append(", " + column + " = NULL"));
        change.append(noAttempts());
        change.append(" WHERE " + table.key.isKey() + " AND NOT (" + finished() + ") AND " + held() + " AND " + ours());
        return sql(canReturn() ? change + " RETURNING " + record() : change.toString());
    }

    private String marking(State state) {
        return state == State.DONE
                ? table.doneTime()
                        .map(time -> time.writing(time.floor(time.clock())))
                        .orElse(table.cast(Role.DONE, ":marker"))
                : table.cast(Role.FAILED, ":marker");
    }

    /** Somebody has the row, or had it until it expired. */
    private String held() {
        return table.time.column() + " IS NOT NULL"
                + table.compared(Role.OWNER)
                        .map(owner -> " AND " + owner + " IS NOT NULL AND " + owner + " <> ''")
                        .orElse("");
    }

    /** Nothing is added to the row's time, which may be the largest number there is. */
    private String grantable(String exception) {
        String fixedTtl = table.mapping.fixedTtlMicros().map(ttl -> " - " + ttl).orElse("");
        return "NOT (" + finished() + ") AND (" + exception + " OR NOT (" + held() + " AND " + table.time.read() + " > "
                + table.time.clock() + " - :lockDelay" + fixedTtl + "))";
    }

    private String isMine() {
        return table.compared(Role.NONCE)
                .map(nonce -> "(coalesce(" + nonce + ", '') = :nonce AND " + held() + ")")
                .orElse("1 = 0");
    }

    /** Sets the columns of the lease. The nonce comes last, because MySQL assigns in order. */
    private String grant(String stamp, String fence, String counted) {
        StringBuilder assignments = new StringBuilder(table.time.column() + " = " + stamp + heartbeat());
        table.quoted(Role.FENCE)
                .ifPresent(column ->
                        assignments.append(", ").append(column).append(" = ").append(fence));
        table.quoted(Role.ATTEMPTS)
                .ifPresent(column ->
                        assignments.append(", ").append(column).append(" = coalesce(" + column + ", 0) + " + counted));
        table.quoted(Role.OWNER)
                .ifPresent(column -> assignments.append(", ").append(column).append(" = :owner"));
        table.quoted(Role.NONCE)
                .ifPresent(column -> assignments.append(", ").append(column).append(" = :nonce"));
        return assignments.toString();
    }

    private String freshStamp() {
        TimeColumn time = table.time;
        return time.writing(
                table.mapping.fixedTtlMicros().isPresent()
                        ? time.floor(time.clock())
                        : time.ceil(time.clock() + " + :ttl"));
    }

    /**
     * A row that tells its holder is given the moment that counts when the statement changes it: a renewal that was held up
     * must not write an earlier expiry than the one that overtook it. A row that is known by its moment alone is given the
     * moment that this object noted before; such renewals are made in turn.
     */
    private String renewedStamp() {
        return table.has(Role.NONCE) || table.has(Role.FENCE) ? freshStamp() : table.time.writing(":stamp");
    }

    /** H2's clock stands still while a statement waits for a row, which another renewal may have extended by then. */
    private String notOvertaken() {
        return dialect == Dialect.H2 ? " AND " + table.time.read() + " = :seen" : "";
    }

    /**
     * A renewal that was held up may have a shorter TTL than the one that overtook it. It must not move the expiry back. An
     * expiry that nobody changed since it was seen is moved back nevertheless: then the clock was set back.
     */
    private String notShortened() {
        return canShorten() && dialect != Dialect.H2
                ? " AND (" + table.time.read() + " = :seen OR " + isExtension() + ")"
                : notOvertaken();
    }

    /** Whether a row tells its holder, so that a renewal which was overtaken still changes it, and its TTL can be changed. */
    private boolean canShorten() {
        boolean tellsHolder = table.has(Role.NONCE) || table.has(Role.FENCE);
        return tellsHolder && table.mapping.fixedTtlMicros().isEmpty();
    }

    private String isExtension() {
        return table.time.read() + " <= " + table.time.ceil(table.time.clock() + " + :ttl");
    }

    private String freshFence() {
        return table.quoted(Role.FENCE)
                .map(column -> "CASE WHEN " + isMine() + " THEN " + column + " ELSE {greatest}(coalesce(" + column
                        + ", 0) + 1, {now}) END")
                .orElse("0");
    }

    private String heartbeat() {
        TimeColumn heartbeat = table.heartbeat;
        return heartbeat == null
                ? ""
                : ", " + heartbeat.column() + " = " + heartbeat.writing(heartbeat.floor(heartbeat.clock()));
    }

    private String unchanged() {
        return table.quoted(Role.FENCE)
                        .map(column -> " AND coalesce(" + column + ", 0) = :seenFence")
                        .orElse("")
                + table.compared(Role.NONCE)
                        .map(column -> " AND coalesce(" + column + ", '') = :seenNonce")
                        .orElse("");
    }

    private String cleared() {
        StringBuilder assignments = new StringBuilder(table.time.column() + " = NULL");
        for (Role role : List.of(Role.OWNER, Role.NONCE)) {
            table.quoted(role).ifPresent(column -> assignments.append(", " + column + " = NULL"));
        }
        return assignments.toString();
    }

    /** Attempts are counted from the last end of the work: those that led to it say nothing about work that is to be done anew. */
    private String noAttempts() {
        return table.quoted(Role.ATTEMPTS).map(column -> ", " + column + " = 0").orElse("");
    }

    /** The row is that of a lease: by its nonce, or else its fence, or else the moment that was written. */
    private String ours() {
        if (table.has(Role.NONCE)) {
            String nonce = Objects.requireNonNull(table.compared(Role.NONCE).orElse(null));
            return nonce + " = :nonce"
                    + table.quoted(Role.FENCE)
                            .map(column -> " AND (:fence IS NULL OR " + column + " = :fence)")
                            .orElse("");
        }
        if (table.has(Role.FENCE)) {
            return table.quoted(Role.FENCE).orElse("") + " = :fence";
        }
        StringBuilder unsure = new StringBuilder(table.time.read() + " IN (");
        for (int i = 1; i < STAMPS; i++) {
            unsure.append(i == 1 ? ":" : ", :").append(stampName(i));
        }
        return "(" + table.time.read() + " = :" + stampName(0) + " OR (" + unsure + ") AND :sure > "
                + table.time.clock() + "))"
                + table.compared(Role.OWNER)
                        .map(column -> " AND (:owner IS NULL OR " + column + " = :owner)")
                        .orElse("");
    }

    static String stampName(int index) {
        return "stamp" + "x".repeat(index + 1);
    }

    private Sql sql(String template) {
        return Sql.of(template.replace("{now}", TimeColumn.now(dialect))
                .replace("{greatest}", dialect.greatest)
                .replace("{fence}", table.quoted(Role.FENCE).orElse("0")));
    }
}
