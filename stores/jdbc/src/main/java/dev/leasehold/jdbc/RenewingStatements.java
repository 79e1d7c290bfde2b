package dev.leasehold.jdbc;

/** The statements of the verb renew, for one dialect; see {@link Renewing}. */
final class RenewingStatements {
    /** Leases that are to be renewed, where there are arrays. */
    private static final String ARRAYS = " unnest(:k, :nonce, :fence) WITH ORDINALITY AS r(k, nonce, fence, number) ";

    /** A renewal confirms a lease that was handed over: see {@code Progress.tally()}. */
    private static final String EXTENSION = " expiry = {now} + ttl, attempts = abs(attempts)";

    private static final String WITH_TTL = "UPDATE leasehold_lease SET ttl = :ttl, expiry = {now} + :ttl,"
            + " attempts = abs(attempts) WHERE k = :k AND nonce = :nonce AND fence = :fence AND state = 'H'";

    private final Dialect dialect;

    /** Renews one lease with another TTL, and waits for its record if that is locked. */
    final Sql withTtl;

    /** The same, but fails if the record is locked for more than a moment. */
    final Sql withTtlAtOnce;

    /** With arrays: renews all, or none if another transaction has one locked for more than a moment; says which. */
    final Sql arraysAtOnce;

    /** The same, but passes those by that are locked. */
    final Sql arraysButLocked;

    /** The same, but waits for the locks. */
    final Sql arraysPatiently;

    /** With lists: renews so many leases. */
    final SqlOfSize renew = new SqlOfSize(
            leases -> sql("UPDATE leasehold_lease SET" + EXTENSION + " WHERE state = 'H' AND " + among(leases)));

    /** The same, but fails if one is locked; where the database cannot be told so, it waits for a while first. */
    final SqlOfSize renewAtOnce = new SqlOfSize(leases -> sql(Statements.WITHOUT_WAITING + "UPDATE leasehold_lease"
            + " SET" + EXTENSION + " WHERE state = 'H' AND " + among(leases)));

    /** Those of so many leases that were just renewed. */
    final SqlOfSize renewed = new SqlOfSize(leases -> sql(renewable(leases, "ttl")));

    /** Locks those of so many leases that are their holder's and that no other transaction has locked. */
    final SqlOfSize lock = new SqlOfSize(leases -> sql(renewable(leases, "ttl") + " FOR UPDATE SKIP LOCKED"));

    /** Which of so many leases are still their holder's, and how long they live. */
    final SqlOfSize stillHeld = new SqlOfSize(leases -> sql(renewable(leases, "expiry - {now}")));

    RenewingStatements(Dialect dialect) {
        this.dialect = dialect;
        this.withTtl = sql(WITH_TTL);
        this.withTtlAtOnce = sql(Statements.WITHOUT_WAITING + WITH_TTL);
        // The clock is read for each row, and again after a wait for its lock. The last condition is evaluated once,
        // before the first row is locked.
        this.arraysAtOnce = sql("UPDATE leasehold_lease AS l SET expiry = {now} + l.ttl,"
                + " attempts = abs(l.attempts) FROM" + ARRAYS
                + "WHERE l.k = r.k AND l.nonce = r.nonce AND l.fence = r.fence AND l.state = 'H'"
                + " AND (SELECT set_config('lock_timeout', '20', true)) <> ''"
                + " RETURNING r.number, l.ttl AS remaining");
        this.arraysButLocked = lockFirst(" SKIP LOCKED");
        this.arraysPatiently = lockFirst("");
    }

    private Sql lockFirst(String locked) {
        return sql("WITH r AS (SELECT l.k, r.number FROM" + ARRAYS
                + "JOIN leasehold_lease l ON l.k = r.k AND l.nonce = r.nonce AND l.fence = r.fence AND l.state = 'H'"
                + " ORDER BY l.k FOR UPDATE OF l" + locked + ")"
                + " UPDATE leasehold_lease AS l SET expiry = {now} + l.ttl, attempts = abs(l.attempts)"
                + " FROM r WHERE l.k = r.k"
                + " RETURNING r.number, l.ttl AS remaining");
    }

    private String renewable(int leases, String remaining) {
        return "SELECT k, nonce, fence, " + remaining + " AS remaining FROM leasehold_lease WHERE state = 'H' AND "
                + among(leases);
    }

    /** The keys are named once more by themselves: MariaDB would read the whole table for a single lease otherwise. */
    private String among(int leases) {
        return "k IN (?" + ", ?".repeat(leases - 1) + ") AND (k, nonce, fence) IN ("
                + (dialect == Dialect.SQLITE ? "VALUES " : "") + "(?, ?, ?)" + ", (?, ?, ?)".repeat(leases - 1) + ")";
    }

    private Sql sql(String template) {
        return Statements.sql(template, dialect);
    }
}
