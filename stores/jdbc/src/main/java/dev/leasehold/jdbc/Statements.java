package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Micros;
import java.util.Optional;

/**
 * The statements on Leasehold's own tables, for one dialect; those of the quick way and of renewals have their own class.
 *
 * <p>Whether a lease is granted is decided in {@link #GRANTABLE} and nowhere else. Assignments only read columns that
 * stand further down in the same list: MySQL carries them out one after another, the others all at once, and so both
 * see the old values.
 *
 * <p>The column {@code cooldown} has two meanings: of a free record it is how long the last release keeps the key closed,
 * of any other the number of its holder's last checkpoint. So every grant begins with 0, and tables that were made before
 * checkpoints had numbers need no change.
 */
final class Statements {
    private static final String COLUMNS = "k, state, nonce, tombstone, owner, fence, expiry, ttl, since, cooldown,"
            + " attempts, waited, fingerprint, prev_owner, prev_fence, payload";

    /** The record is this call's already: it asks again because the reply was lost. */
    private static final String MINE = "(l.state = 'H' AND l.nonce = {nonce})";

    private static final String SETTLED = "l.state IN ('D', 'X', 'O')";

    /** The request is no late duplicate, and does not contradict the request behind the record. */
    private static final String FITS = """
            (l.tombstone IS NULL OR l.tombstone <> {nonce})
            AND (l.fingerprint IS NULL OR {fingerprint} IS NULL OR l.fingerprint = {fingerprint}
                OR ({settled} AND l.expiry <= {now}) OR {mine})
            """;

    /** No other call has the record, or its lease or answer is over. */
    private static final String OPEN = """
            ((l.state = 'H' AND (l.nonce = {nonce} OR l.expiry + {lockDelay} <= {now}
                    OR (l.fence = {unmoved} AND l.expiry > {now} + l.ttl)))
                OR (l.state = 'F' AND ({ignoresCooldown} = 1 OR l.expiry <= {now} OR l.expiry - {now} > l.cooldown))
                OR ({settled} AND l.expiry <= {now}))
            """;

    /** The call may have the lease. */
    private static final String GRANTABLE = FITS + "AND " + OPEN;

    /** Another call holds the lease, and this one may wait for it. */
    private static final String WAITABLE = "l.state = 'H' AND " + FITS + "AND (" + OPEN + ") IS NOT TRUE";

    /** The attempts without an unconfirmed grant: see {@code Progress.tally()}. */
    private static final String MADE = "(CASE WHEN l.attempts < 0 THEN -l.attempts - 1 ELSE l.attempts END)";

    /** The number of attempts that a release keeps. */
    private static final String KEPT_ATTEMPTS = "CASE WHEN :keep = 1 THEN {made} ELSE 0 END";

    private static final String GRANT = """
            prev_owner = CASE WHEN {mine} THEN l.prev_owner WHEN l.state = 'H' AND l.attempts >= -1 THEN l.owner END,
            prev_fence = CASE WHEN {mine} THEN l.prev_fence WHEN l.state = 'H' AND l.attempts >= -1 THEN l.fence END,
            attempts = CASE WHEN {mine} THEN abs(l.attempts) WHEN {settled} THEN 1 ELSE {made} + 1 END,
            fingerprint = CASE WHEN {mine} THEN l.fingerprint WHEN {settled} THEN {fingerprint}
                ELSE coalesce({fingerprint}, l.fingerprint) END,
            payload = CASE WHEN {settled} THEN NULL ELSE l.payload END,
            since = CASE WHEN {mine} THEN l.since ELSE {now} END,
            expiry = {now} + CASE WHEN {mine} THEN l.ttl ELSE {ttl} END,
            ttl = CASE WHEN {mine} THEN l.ttl ELSE {ttl} END,
            cooldown = CASE WHEN {mine} THEN l.cooldown ELSE 0 END,
            owner = CASE WHEN {mine} THEN l.owner ELSE {owner} END,
            fence = CASE WHEN {mine} THEN l.fence ELSE {greatest}(l.fence + 1, {now}) END,
            nonce = {nonce},
            state = 'H'
            """;

    /** Before a statement: it fails if a row that it wants is locked. MariaDB knows this, MySQL reads over it. */
    static final String WITHOUT_WAITING = "/*M! SET STATEMENT innodb_lock_wait_timeout = 0 FOR */ ";

    /** Before a statement: it fails if it waits for a locked row for more than a moment. MySQL waits for a second. */
    static final String BRIEFLY = "/*M! SET STATEMENT max_statement_time = 0.1 FOR */ ";

    private static final String FRESH_COLUMNS =
            " (k, state, nonce, owner, fence, expiry, ttl, since, cooldown, attempts, fingerprint)";

    private static final String FRESH =
            " {k}, 'H', {nonce}, {owner}, {now}, {now} + {ttl}, {ttl}, {now}, 0, 1, {fingerprint}";

    /** The lease that a release or settlement is about. */
    private static final String OURS = " l.k = :k AND l.nonce = :nonce AND (:fence IS NULL OR l.fence = :fence)"
            + " AND (l.state = 'H' OR (:forget = 1 AND l.state <> 'F'))";

    /** The call holds the record. */
    private static final String HELD_BY_CALL = "l.state = 'H' AND l.nonce = :nonce";

    /** A release that keeps the attempts passes over this place, because it is for another request than the record. */
    private static final String OTHER_REQUEST = "(:keep = 1 AND {place}.fingerprint <> {kept})";

    /** The first place in line, beside the record. */
    private static final String FIRST_COLUMNS = "p.nonce AS next_nonce, p.owner AS next_owner, p.ttl AS next_ttl,"
            + " p.fingerprint AS next_fingerprint, p.since AS next_since, p.until AS next_until";

    private static final String REFRESH = " ON CONFLICT (k, nonce) DO UPDATE SET owner = excluded.owner,"
            + " ttl = excluded.ttl, fingerprint = excluded.fingerprint, until = excluded.until, node = excluded.node";

    static final String END = "prev_owner = NULL, prev_fence = NULL,"
            + " attempts = " + KEPT_ATTEMPTS + ","
            + " fingerprint = CASE WHEN :keep = 1 THEN l.fingerprint END,"
            + " payload = CASE WHEN :keep = 1 THEN l.payload END,"
            + " expiry = {now} + :cooldown, cooldown = :cooldown, owner = NULL, tombstone = l.nonce,"
            + " waited = 0, nonce = NULL, state = 'F'";

    /** A record that nobody has and nothing is known of: what a lock that was released leaves behind. */
    static final String CLEAN = "l.state = 'F' AND l.attempts = 0 AND l.expiry <= {now}"
            + " AND l.fingerprint IS NULL AND l.payload IS NULL AND (l.tombstone IS NULL OR l.tombstone <> {nonce})";

    private static final String TAKE = " ON CONFLICT (k) DO UPDATE SET attempts = 1, since = {now},"
            + " expiry = {now} + excluded.ttl, ttl = excluded.ttl, cooldown = 0, owner = excluded.owner,"
            + " fingerprint = excluded.fingerprint, fence = greatest(l.fence + 1, {now}), nonce = excluded.nonce,"
            + " state = 'H' WHERE " + from("excluded.", CLEAN) + " RETURNING l.k, l.fence)";

    /** What {@link #settleAndTell} gives, where it gives a number, if nobody stood in line. */
    static final long NOBODY_WAITED = 1;

    /** The payloads of a page have this size at most, and that of one record more. */
    private static final long PAGE_BYTES = 8 << 20;

    private final Dialect dialect;

    final Sql acquire;
    final Sql insert;
    final Sql look;
    final Sql glance;
    /** The same of many records, where there are arrays. */
    final Sql glanceTogether;

    final Sql current;
    final Sql insertIfMissing;
    final Sql release;
    /** Ends a lease and closes the key for a while, whoever waits for it. */
    final Sql close;
    /** Locks the record until the end of the transaction. */
    final Sql lockRecord;
    /** The record and the first place in line, both as they were at one moment. */
    final Sql heldAndFirst;

    final Sql handOver;
    /** Takes the place of the new holder out of the line, with those of the old one and of callers that are gone. */
    final Sql clearServed;

    final Sql settle;
    final Sql settleAndTell;
    /** Makes the call's place in line, or revives it. On MySQL the place does not count before the next statement. */
    final Sql place;
    /** Refreshes a place that is alive and counted. It only reads the record, which a transaction may have locked. */
    final Sql keepPlace;
    /** Counts a change of the line on the record, if the record is still one to wait for. */
    final Sql countPlace;
    /** Takes the call's place out of the line. */
    final Sql leaveLine;
    /** Counts a change of the line on the record, unless the call holds it. */
    final Sql countLeaving;

    final Sql line;
    /** Callers in line for another request than this one. */
    final Sql otherRequests;

    final Sql lines;
    final Sql forgetLapsed;
    final Sql clearLine;
    final Sql list;
    final Sql purgeable;
    final Sql purge;
    final Sql fence;
    private final Optional<Sql> stand;
    private final Optional<Sql> leave;
    private final Optional<Sql> takeOrSee;
    private final Optional<Sql> takeOrSeeTogether;

    Statements(Dialect dialect) {
        this.dialect = dialect;
        String briefly = dialect == Dialect.MYSQL ? BRIEFLY : "";
        this.acquire = switch (dialect.grant) {
            case ONE_STATEMENT -> acquireAtOnce();
            case UPSERT ->
                sql("INSERT INTO leasehold_lease AS l" + FRESH_COLUMNS + " SELECT" + FRESH
                        + " WHERE true ON CONFLICT (k) DO UPDATE SET " + GRANT + " WHERE " + GRANTABLE
                        + " RETURNING {now} AS now, NULL AS place, " + COLUMNS);
            case UPDATE_FIRST ->
                sql(briefly + "UPDATE leasehold_lease AS l SET " + GRANT + " WHERE l.k = :k AND " + GRANTABLE);
        };
        this.insert = sql(briefly + "INSERT INTO leasehold_lease" + FRESH_COLUMNS + " VALUES (" + FRESH + ")");
        this.look =
                sql("SELECT {now} AS now, (SELECT until FROM leasehold_line WHERE k = :k AND nonce = :nonce) AS place, "
                        + COLUMNS + " FROM leasehold_lease WHERE k = :k");
        this.glance = sql("SELECT {now} AS now, " + COLUMNS + " FROM leasehold_lease WHERE k = :k");
        this.glanceTogether = sql("SELECT {now} AS now, " + COLUMNS + " FROM leasehold_lease WHERE k = ANY (:k)");
        // In the caller's transaction, MySQL would otherwise show the row as it was when that began.
        this.current = sql("SELECT {now} AS now, " + COLUMNS + " FROM leasehold_lease WHERE k = :k"
                + (dialect == Dialect.MYSQL ? " LOCK IN SHARE MODE" : ""));
        this.insertIfMissing = sql(briefly + "INSERT INTO leasehold_lease" + FRESH_COLUMNS + " SELECT"
                + FRESH.replace("{owner}, {now}", "{owner}, last_insert_id({now})")
                + " FROM dual WHERE NOT EXISTS (SELECT 1 FROM leasehold_lease WHERE k = :k)");
        this.release =
                sql(briefly + "UPDATE leasehold_lease AS l SET " + END + " WHERE" + OURS + " AND l.waited = :seen");
        // The count stays: callers in line that are not sent away are found by a later release.
        this.close =
                sql(briefly + "UPDATE leasehold_lease AS l SET " + END.replace(" waited = 0,", "") + " WHERE" + OURS);
        this.lockRecord =
                sql("SELECT 1 FROM leasehold_lease WHERE k = :k" + (dialect == Dialect.SQLITE ? "" : " FOR UPDATE"));
        this.heldAndFirst = sql("SELECT {now} AS now, " + prefixed("l") + ", " + FIRST_COLUMNS
                + " FROM leasehold_lease l LEFT JOIN leasehold_line p ON p.k = l.k AND p.id = (SELECT min(w.id)"
                + " FROM leasehold_line w WHERE w.k = :k AND w.until > {now} AND w.nonce <> :nonce AND "
                + otherRequest("w", "l.fingerprint") + " IS NOT TRUE) WHERE l.k = :k");
        this.clearServed = sql(
                "DELETE FROM leasehold_line WHERE k = :k AND (nonce = :next OR nonce = :nonce OR abs(until) <= {now})");
        this.handOver = dialect.grant == Dialect.Grant.ONE_STATEMENT ? handOverAtOnce() : handOverTo();
        // A late duplicate of an older checkpoint finds a larger number, and changes nothing.
        String settlement = " attempts = abs(attempts),"
                + " cooldown = CASE WHEN :state = 'H' THEN :number ELSE cooldown END,"
                + " expiry = CASE WHEN :state = 'H' THEN expiry ELSE {now} + :retention END,"
                + " state = :state WHERE k = :k AND nonce = :nonce AND fence = :fence"
                + " AND ((state = 'H' AND (:state <> 'H' OR cooldown <= :number)) OR (:amends = 1 AND (state = 'O' OR (state = :state"
                + " AND (payload = :payload OR (:empty = 1 AND payload IS NULL))))))";
        this.settle = sql("UPDATE leasehold_lease SET payload = :payload," + settlement);
        this.settleAndTell = switch (dialect.passing) {
            case ARRAYS, ONE_BY_ONE ->
                sql("UPDATE leasehold_lease SET payload = :payload," + settlement + " RETURNING waited");
            // On MySQL, the number comes back with the count.
            case LISTS ->
                sql("UPDATE leasehold_lease SET payload = :payload, waited = last_insert_id(waited + 1) - 1,"
                        + settlement);
            case UNKNOWN -> settle;
        };
        this.place = sql(newPlace());
        this.keepPlace =
                sql(briefly + "UPDATE leasehold_line SET owner = :owner, ttl = :ttl, fingerprint = :fingerprint,"
                        + " until = {now} + :life, node = :node WHERE k = :k AND nonce = :nonce AND until > {now}"
                        + " AND (SELECT l.waited FROM leasehold_lease l WHERE l.k = :k) > 0"
                        + (dialect == Dialect.POSTGRESQL
                                ? " AND (SELECT set_config('synchronous_commit', 'off', true)) <> ''"
                                : ""));
        this.countPlace = sql(
                dialect == Dialect.MYSQL
                        ? BRIEFLY + "UPDATE leasehold_lease AS l, leasehold_line AS p SET l.waited = l.waited + 1,"
                                + " p.owner = :owner, p.ttl = :ttl, p.fingerprint = :fingerprint,"
                                + " p.until = CASE WHEN p.until < 0 THEN p.since ELSE {now} END + :life, p.node = :node"
                                + " WHERE l.k = :k AND p.k = l.k AND p.nonce = :nonce AND " + WAITABLE
                        : "UPDATE leasehold_lease AS l SET waited = l.waited + 1 WHERE l.k = :k AND " + WAITABLE);
        this.leaveLine = sql(briefly + "DELETE FROM leasehold_line WHERE k = :k AND nonce = :nonce");
        this.countLeaving =
                sql(briefly + "UPDATE leasehold_lease AS l SET waited = l.waited + 1 WHERE l.k = :k AND NOT ("
                        + HELD_BY_CALL + ")");
        this.line = sql("SELECT nonce, owner, ttl, fingerprint, since, until, node FROM leasehold_line"
                + " WHERE k = :k ORDER BY id");
        this.otherRequests = sql("SELECT nonce, node FROM leasehold_line"
                + " WHERE k = :k AND until > {now} AND nonce <> :nonce AND fingerprint <> :print");
        this.lines = sql("SELECT k, nonce, owner, ttl, fingerprint, since, until FROM leasehold_line"
                + " WHERE k >= :first AND k <= :last ORDER BY id");
        this.forgetLapsed = sql("DELETE FROM leasehold_line WHERE k = :k AND nonce <> :nonce AND abs(until) <= {now}");
        // Callers that stand in line for a next holder, granted meanwhile, stay.
        this.clearLine = sql("DELETE FROM leasehold_line WHERE k = :k AND NOT EXISTS"
                + " (SELECT 1 FROM leasehold_lease l WHERE l.k = :k AND l.state = 'H')");
        // The sizes of the payloads are added up first: only the records of the page are read with theirs.
        this.list = sql("SELECT {now} AS now, p.matching, " + prefixed("l") + " FROM (SELECT s.k,"
                + " sum(s.size) OVER (ORDER BY s.k ROWS UNBOUNDED PRECEDING) - s.size AS before_it,"
                + " count(*) OVER () AS matching FROM (SELECT k, coalesce({length}(payload), 0) AS size"
                + " FROM leasehold_lease WHERE k > :after AND k >= :prefix AND (:end IS NULL OR k < :end)"
                + " AND state IN (:a, :b, :c, :d, :e) ORDER BY k LIMIT :limit) s) p"
                + " JOIN leasehold_lease l ON l.k = p.k WHERE p.before_it < " + PAGE_BYTES + " ORDER BY l.k");
        this.purgeable = sql("SELECT l.k FROM leasehold_lease l WHERE l.expiry <= {now} - :retained"
                + " AND l.fence < {now} - :retained AND NOT EXISTS"
                + " (SELECT 1 FROM leasehold_line w WHERE w.k = l.k AND w.until > {now}) ORDER BY l.k LIMIT :limit");
        this.purge = sql(WITHOUT_WAITING + "DELETE FROM leasehold_lease WHERE k = :k AND expiry <= {now} - :retained"
                + " AND fence < {now} - :retained");
        this.fence = switch (dialect) {
            case POSTGRESQL -> sql("SELECT 1 FROM leasehold_lease l WHERE" + OURS + " FOR SHARE");
            case MYSQL -> sql("SELECT 1 FROM leasehold_lease l WHERE" + OURS + " LOCK IN SHARE MODE");
            // It locks no rows, but who has written is the only one who may until the end of the transaction.
            case SQLITE -> sql("UPDATE leasehold_lease AS l SET fence = l.fence WHERE" + OURS + " RETURNING 1");
            case H2 -> sql("SELECT 1 FROM leasehold_lease l WHERE" + OURS + " FOR UPDATE");
        };
        boolean hasArrays = dialect == Dialect.POSTGRESQL;
        this.stand = hasArrays ? Optional.of(standSql()) : Optional.empty();
        this.leave = hasArrays ? Optional.of(leaveSql()) : Optional.empty();
        this.takeOrSee = hasArrays ? Optional.of(takeOrSeeSql()) : Optional.empty();
        this.takeOrSeeTogether = hasArrays ? Optional.of(takeOrSeeTogetherSql()) : Optional.empty();
    }

    /** Makes or revives a place in line and gives back the record; nothing if there is no need or the record is open. */
    Sql stand() {
        return stand.orElseThrow();
    }

    /** Takes the call's place out of the line, unless the call holds the record. */
    Sql leave() {
        return leave.orElseThrow();
    }

    /** Takes a record that is not there or free, or gives back the one that is not. */
    Sql takeOrSee() {
        return takeOrSee.orElseThrow();
    }

    /** The same for many calls at once. */
    Sql takeOrSeeTogether() {
        return takeOrSeeTogether.orElseThrow();
    }

    /**
     * Grants and gives back the row that was written, or gives back the one in the way. The row is looked at before it
     * is touched: a refusal neither locks nor writes. The row in the way is as it was when the statement began, which may
     * be before a rival's commit that the statement waited for. So it can tell a refusal, but never a grant.
     */
    private Sql acquireAtOnce() {
        String asked = "{k} AS k, {nonce} AS nonce, {owner} AS owner, {ttl} AS ttl, {fingerprint} AS fingerprint";
        String place = "(SELECT until FROM leasehold_line WHERE k = {k} AND nonce = {nonce}) AS place";
        return sql("WITH t AS (INSERT INTO leasehold_lease AS l" + FRESH_COLUMNS
                + " SELECT r.k, 'H', r.nonce, r.owner, {now}, {now} + r.ttl, r.ttl, {now}, 0, 1, r.fingerprint"
                + " FROM (SELECT " + asked + ") r WHERE NOT EXISTS (SELECT 1 FROM leasehold_lease l WHERE l.k = r.k"
                + " AND (" + from("r.", GRANTABLE) + ") IS NOT TRUE)"
                + " ON CONFLICT (k) DO UPDATE SET " + from("excluded.", GRANT)
                + " WHERE " + from("excluded.", GRANTABLE) + " RETURNING " + prefixed("l") + ")"
                + " SELECT {now} AS now, 1 AS written, " + place + ", t.* FROM t UNION ALL"
                + " SELECT {now}, 0, " + place + ", " + prefixed("l") + " FROM leasehold_lease l WHERE l.k = {k}"
                + " AND NOT EXISTS (SELECT 1 FROM t)");
    }

    /**
     * The quick way to what most calls find: no record, or a clean one. The expressions are few, because a server
     * prepares them anew for each execution. If it is not that, the row is given back, untouched.
     */
    private Sql takeOrSeeSql() {
        return sql("WITH t AS (INSERT INTO leasehold_lease AS l" + FRESH_COLUMNS + " SELECT" + FRESH
                + " WHERE NOT EXISTS (SELECT 1 FROM leasehold_lease l WHERE l.k = {k} AND NOT (" + CLEAN + "))" + TAKE
                + " SELECT t.fence AS taken, 0 AS now, t.k, " + nulls() + " FROM t UNION ALL SELECT NULL, {now}, "
                + prefixed("l") + " FROM leasehold_lease l WHERE l.k = {k} AND NOT EXISTS (SELECT 1 FROM t)");
    }

    /** All columns but the key, empty. */
    private static String nulls() {
        return "NULL AS " + COLUMNS.substring("k, ".length()).replace(", ", ", NULL AS ");
    }

    /** A template with what the call asks for taken from a row instead of parameters. */
    private static String from(String row, String template) {
        return template.replace("{mine}", MINE)
                .replace("{nonce}", row + "nonce")
                .replace("{fingerprint}", row + "fingerprint")
                .replace("{ttl}", row + "ttl")
                .replace("{owner}", row + "owner");
    }

    /** A place that is there keeps its number and age. */
    private String newPlace() {
        String place = "INSERT INTO leasehold_line (k, nonce, owner, ttl, fingerprint, since, until, node)"
                + " SELECT :k, :nonce, :owner, :ttl, :fingerprint, t.now, t.now + :life, :node FROM (SELECT {now} AS now";
        return switch (dialect) {
            case POSTGRESQL ->
                // A place in line need not survive the server: a caller that loses it polls, and stands in line again.
                place + ", set_config('synchronous_commit', 'off', true)) t, u" + REFRESH;
            case SQLITE -> place + ") t WHERE true" + REFRESH;
            // Below zero, a place does not count yet; it is swept like others when its time is over.
            case MYSQL ->
                place.replace("t.now + :life", "-(t.now + :life)") + ") t ON DUPLICATE KEY UPDATE node = VALUES(node)";
            case H2 ->
                "MERGE INTO leasehold_line AS p USING (SELECT {now} AS now) t ON p.k = :k AND p.nonce = :nonce"
                        + " WHEN MATCHED THEN UPDATE SET owner = :owner, ttl = :ttl, fingerprint = :fingerprint,"
                        + " until = t.now + :life, node = :node WHEN NOT MATCHED THEN INSERT"
                        + " (k, nonce, owner, ttl, fingerprint, since, until, node) VALUES"
                        + " (:k, :nonce, :owner, :ttl, :fingerprint, t.now, t.now + :life, :node)";
        };
    }

    /**
     * One statement, so that the count on the record and the place are committed together. A place that is alive and
     * counted is left alone: a caller that polls only reads, or refreshes its own place.
     */
    private Sql standSql() {
        return sql("WITH u AS (UPDATE leasehold_lease AS l SET waited = l.waited + 1 WHERE l.k = :k AND " + WAITABLE
                + " AND (l.waited = 0 OR NOT EXISTS (SELECT 1 FROM leasehold_line f WHERE f.k = :k"
                + " AND f.nonce = :nonce AND f.until > {now}))"
                // The last condition is evaluated once, before the row is locked.
                + " AND (SELECT set_config('lock_timeout', '20', true)) <> '' RETURNING {now} AS now, " + prefixed("l")
                + "),"
                + " d AS (DELETE FROM leasehold_line p USING u"
                + " WHERE p.k = :k AND p.nonce <> :nonce AND p.until <= {now}),"
                + " p AS (" + newPlace() + ") SELECT * FROM u");
    }

    private Sql leaveSql() {
        return sql("WITH u AS (UPDATE leasehold_lease AS l SET waited = l.waited + 1 WHERE l.k = :k AND NOT ("
                + HELD_BY_CALL + ") AND EXISTS (SELECT 1 FROM leasehold_line p WHERE p.k = :k AND p.nonce = :nonce)"
                + " RETURNING l.k)"
                + " DELETE FROM leasehold_line p USING u WHERE p.k = u.k AND p.nonce = :nonce");
    }

    /**
     * Ends a lease and gives it to the first in line, if there is one, in one statement that says to whom. The line is
     * read as it was when the statement began. If it has changed since, so has its count on the record: then nothing is
     * done, and the caller asks again.
     */
    private Sql handOverAtOnce() {
        return sql("WITH r AS (SELECT l.waited, l.fingerprint AS print FROM leasehold_lease l WHERE" + OURS + "),"
                + " f AS (SELECT p.* FROM leasehold_line p, r WHERE p.k = :k AND p.until > {now} AND p.nonce <> :nonce"
                + " AND " + otherRequest("p", "r.print") + " IS NOT TRUE ORDER BY p.id LIMIT 1),"
                + " u AS (UPDATE leasehold_lease AS l SET prev_owner = NULL, prev_fence = NULL,"
                + " attempts = CASE WHEN f.nonce IS NULL THEN " + KEPT_ATTEMPTS + " ELSE -1 - " + KEPT_ATTEMPTS
                + " END,"
                + " fingerprint = coalesce(f.fingerprint, CASE WHEN :keep = 1 THEN l.fingerprint END),"
                + " payload = CASE WHEN :keep = 1 THEN l.payload END,"
                + " since = CASE WHEN f.nonce IS NULL THEN l.since ELSE {now} END,"
                + " expiry = {now} + CASE WHEN f.nonce IS NULL THEN 0 ELSE least(f.ttl, {handOver}) END,"
                + " waited = CASE WHEN f.nonce IS NULL THEN 0 ELSE l.waited END,"
                + " cooldown = 0, ttl = coalesce(f.ttl, l.ttl), owner = f.owner, tombstone = l.nonce,"
                + " fence = CASE WHEN f.nonce IS NULL THEN l.fence ELSE greatest(l.fence + 1, {now}) END,"
                + " nonce = f.nonce, state = CASE WHEN f.nonce IS NULL THEN 'F' ELSE 'H' END"
                + " FROM r LEFT JOIN f ON true WHERE" + OURS + " AND l.waited = r.waited"
                + " RETURNING l.fence, l.nonce, abs(l.attempts) AS attempts, l.expiry - l.since AS remaining,"
                + " l.since - f.since AS waited_micros, f.node, r.print),"
                + " d AS (DELETE FROM leasehold_line w USING u"
                + " WHERE w.k = :k AND (w.nonce = u.nonce OR w.nonce = :nonce OR w.until <= {now} OR "
                + otherRequest("w", "u.print")
                + ") RETURNING w.nonce, w.node, w.until > {now} AND w.nonce <> :nonce AND "
                + otherRequest("w", "u.print") + " AS passed_over)"
                + " SELECT u.fence, u.nonce, u.attempts, u.remaining, u.waited_micros, u.node,"
                + " CASE WHEN u.node <> :node THEN pg_notify('leasehold_' || u.node, concat_ws(' ',"
                + " 'H', u.nonce, u.fence, u.waited_micros, u.remaining, u.attempts, :k))::text END AS told FROM u"
                + " UNION ALL SELECT NULL, d.nonce, NULL, NULL, NULL, d.node, CASE WHEN d.node <> :node"
                + " THEN pg_notify('leasehold_' || d.node, concat_ws(' ', 'L', d.nonce, :k))::text END"
                + " FROM d WHERE d.passed_over");
    }

    /**
     * Hands over to a place that was read before. The place must go with it, or a later release would find it again: MySQL
     * changes both in one statement, in which a place whose time is over counts as gone. On the others, which have no such
     * statement, the caller deletes it in the same transaction.
     */
    private Sql handOverTo() {
        boolean isJoint = dialect == Dialect.MYSQL;
        String change = "{l}prev_owner = NULL, {l}prev_fence = NULL, {l}attempts = -1 - " + KEPT_ATTEMPTS
                + ", {l}fingerprint = :print,"
                + " {l}payload = CASE WHEN :keep = 1 THEN l.payload END, {l}since = {now}, {l}expiry = {now} + :life,"
                + " {l}ttl = :ttl, {l}cooldown = 0, {l}owner = :owner, {l}tombstone = :nonce,"
                + " {l}fence = {greatest}(l.fence + 1, {now}), {l}nonce = :next, {l}state = 'H'";
        String condition = " WHERE" + OURS + " AND l.waited = :seen";
        return sql(
                isJoint
                        ? BRIEFLY + "UPDATE leasehold_lease AS l, leasehold_line AS p SET "
                                + change.replace("{l}", "l.") + ", p.until = 0" + condition
                                + " AND p.k = l.k AND p.nonce = :next"
                        : "UPDATE leasehold_lease AS l SET " + change.replace("{l}", "") + condition);
    }

    private Sql takeOrSeeTogetherSql() {
        return sql("WITH r AS (SELECT * FROM unnest(:k, :nonce, :owner, :ttl, :fingerprint)"
                + " AS r(k, nonce, owner, ttl, fingerprint)),"
                + " t AS (INSERT INTO leasehold_lease AS l" + FRESH_COLUMNS
                + " SELECT r.k, 'H', r.nonce, r.owner, {now}, {now} + r.ttl, r.ttl, {now}, 0, 1, r.fingerprint FROM r"
                + " WHERE NOT EXISTS (SELECT 1 FROM leasehold_lease l WHERE l.k = r.k AND NOT (" + from("r.", CLEAN)
                + ")) ORDER BY r.k" + TAKE
                + " SELECT t.fence AS taken, 0 AS now, t.k, " + nulls() + " FROM t UNION ALL SELECT NULL, {now}, "
                + prefixed("l") + " FROM r JOIN leasehold_lease l ON l.k = r.k"
                + " WHERE NOT EXISTS (SELECT 1 FROM t WHERE t.k = r.k)");
    }

    private static String otherRequest(String place, String kept) {
        return OTHER_REQUEST.replace("{place}", place).replace("{kept}", kept);
    }

    private static String prefixed(String alias) {
        return alias + "." + COLUMNS.replace(", ", ", " + alias + ".");
    }

    private Sql sql(String template) {
        return sql(template, dialect);
    }

    static Sql sql(String template, Dialect dialect) {
        String asked = template.replace("{mine}", MINE);
        for (String name :
                new String[] {"k", "nonce", "owner", "ttl", "fingerprint", "lockDelay", "ignoresCooldown", "unmoved"}) {
            asked = asked.replace("{" + name + "}", ":" + name);
        }
        return Sql.of(filled(asked, dialect));
    }

    private static String filled(String template, Dialect dialect) {
        return template.replace("{settled}", SETTLED)
                .replace("{made}", MADE)
                .replace("{now}", dialect.now)
                .replace("{start}", dialect.start)
                .replace("{greatest}", dialect.greatest)
                .replace("{length}", dialect == Dialect.SQLITE ? "length" : "octet_length")
                .replace("{handOver}", Long.toString(Micros.of(LeaseRules.HAND_OVER)));
    }
}
