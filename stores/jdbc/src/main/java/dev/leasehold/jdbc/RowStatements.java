package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The statements on a table of the user's, for one mapping. Names come from the database itself and are quoted; all else
 * is a parameter.
 *
 * <p>Whether a row is granted is decided by {@link #grantable}, inside the statement that changes it. Each statement
 * changes one row, and no two are in one transaction: whatever else the user's transactions lock, they do not deadlock
 * with these.
 */
final class RowStatements {
    /** How many moments a row may have been left with, by renewals whose reply was lost. */
    static final int STAMPS = 4;

    /** How many expired rows of others one acquire drops. */
    private static final int CLEARED_AT_ONCE = 20;

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
    /** The keys of other rows that have expired: a few, so that no caller pays for all that were left behind. */
    final Sql expired;

    final Sql clock;

    final Sql look;
    final Sql renew;
    /** The same, but leaves a row alone that another transaction has locked; see {@link RowLocks}. */
    final Sql renewUnlocked;

    final Sql release;
    final Sql fence;
    final Sql list;

    RowStatements(RowTable table) {
        this.table = table;
        this.dialect = table.dialect;
        String change = "UPDATE " + table.name + " SET ";
        String isKey = table.key.isKey();
        String ours = isKey + " AND " + held() + " AND " + ours();
        String renewing = change + table.time.column() + " = " + renewedStamp() + heartbeat();
        String grantable = isKey + " AND " + grantable(isMine());
        String isExpired = isExpired(table.time);
        this.acquire = sql("WITH c AS (SELECT " + sight() + " FROM " + table.name + " WHERE " + isKey + "),"
                + " s AS (SELECT " + sight() + " FROM " + table.name + " WHERE " + grantable
                + " FOR NO KEY UPDATE SKIP LOCKED),"
                + " u AS (" + change + grant(freshStamp(), freshFence()) + " WHERE " + grantable
                + " AND (SELECT count(*) FROM c) = 1 AND EXISTS (SELECT 1 FROM s) RETURNING " + sight() + ")"
                + " SELECT 1 AS step, u.* FROM u UNION ALL SELECT 2, s.* FROM s UNION ALL SELECT 0, c.* FROM c");
        this.take = sql(unlocked(
                change + grant(table.time.writing(":stamp"), ":newFence"),
                isKey + " AND coalesce(" + table.time.read() + ", -1) = :seen" + unchanged() + " AND "
                        + grantable(":overruled = 1"),
                " FOR NO KEY UPDATE"));
        this.insert = sql(insert());
        this.clear = sql(unlocked("DELETE FROM " + table.name, isKey + " AND " + isExpired, " FOR UPDATE"));
        this.expired = sql("SELECT " + table.key.text() + " AS k FROM " + table.name + " WHERE " + isExpired
                + " AND NOT (" + table.key.isRow() + ") LIMIT " + CLEARED_AT_ONCE);
        this.clock = sql("SELECT {now} AS now, " + table.time.clock() + " AS clock");
        // Where acquire makes the row, one whose key is the same but for case or blanks is in the way.
        this.look = sql("SELECT " + sight() + " FROM " + table.name + " WHERE "
                + (table.mapping.makesRows() ? table.key.isRow() : isKey));
        this.renew = sql(renewing + " WHERE " + ours);
        this.renewUnlocked = sql(unlocked(renewing, ours, " FOR NO KEY UPDATE"));
        this.release =
                sql((table.mapping.makesRows() ? "DELETE FROM " + table.name : change + cleared()) + " WHERE " + ours);
        this.fence = switch (dialect) {
            case POSTGRESQL -> sql("SELECT 1 FROM " + table.name + " WHERE " + ours + " FOR NO KEY UPDATE");
            case MYSQL, H2 -> sql("SELECT 1 FROM " + table.name + " WHERE " + ours + " FOR UPDATE");
            // SQLite locks nothing before a write.
            case SQLITE -> sql(change + table.key.column() + " = " + table.key.column() + " WHERE " + ours);
        };
        this.list = sql("SELECT " + sight() + " FROM " + table.name + " WHERE " + table.key.ordered() + " > :after AND "
                + table.key.ordered() + " >= :prefix AND (:end IS NULL OR " + table.key.ordered() + " < :end)"
                + " AND CASE WHEN " + finished() + " THEN 'D' WHEN " + held() + " THEN 'H' ELSE 'F' END"
                + " IN (:a, :b, :c) ORDER BY " + table.key.ordered() + " LIMIT :limit");
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

    /** Everything there is to know of a row, and of the clock. */
    private String sight() {
        StringBuilder columns = new StringBuilder("{now} AS now, " + table.time.clock() + " AS clock, "
                + table.key.text() + " AS k, CASE WHEN " + finished() + " THEN 1 ELSE 0 END AS finished, "
                + table.time.read() + " AS stamp, CASE WHEN NOT (" + finished() + ") AND " + held() + " AND "
                + table.time.read() + " IS NULL THEN 1 ELSE 0 END AS unreadable");
        for (Role role : List.of(Role.OWNER, Role.FENCE, Role.NONCE)) {
            table.quoted(role).ifPresent(column -> columns.append(", " + column + " AS seen_" + role));
        }
        return columns.toString();
    }

    private String finished() {
        return table.compared(Role.FINISHED)
                .map(column -> {
                    List<String> names =
                            finishedNames(table.mapping.finishedValues().size());
                    return names.isEmpty()
                            ? column + " IS NOT NULL"
                            : "(" + column + " IS NOT NULL AND " + RowTable.text(column, dialect) + " IN (:"
                                    + String.join(", :", names) + "))";
                })
                .orElse("1 = 0");
    }

    /** The parameters for the values that mean that a row is finished; names have letters only. */
    static List<String> finishedNames(int values) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < values; i++) {
            names.add("finished" + "x".repeat(i));
        }
        return names;
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
    private String grant(String stamp, String fence) {
        StringBuilder assignments = new StringBuilder(table.time.column() + " = " + stamp + heartbeat());
        table.quoted(Role.FENCE)
                .ifPresent(column ->
                        assignments.append(", ").append(column).append(" = ").append(fence));
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
        return Sql.of(template.replace("{now}", TimeColumn.now(dialect)).replace("{greatest}", dialect.greatest));
    }
}
