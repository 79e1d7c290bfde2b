package dev.leasehold.jdbc;

/** The statements of the quick way, for one dialect; see {@link Passing}. */
final class PassingStatements {
    /** A record changes hands. */
    private static final String PASS = "prev_owner = NULL, prev_fence = NULL, payload = NULL, cooldown = 0,"
            + " attempts = CASE WHEN r.next IS NULL THEN 0 ELSE 1 END, fingerprint = r.print,"
            + " since = {now}, expiry = {now} + r.life, ttl = r.life, owner = r.label,"
            + " fence = CASE WHEN r.next IS NULL THEN l.fence ELSE greatest(l.fence + 1, {now}) END,"
            + " tombstone = coalesce(r.seen, l.tombstone), nonce = r.next,"
            + " state = CASE WHEN r.next IS NULL THEN 'F' ELSE 'H' END";

    private static final String PASSABLE = "l.k = r.id AND l.fence = r.number AND CASE WHEN r.next IS NULL"
            + " THEN l.state = 'H' AND l.nonce = r.seen AND l.waited = 0"
            + " ELSE " + Statements.CLEAN.replace("{nonce}", "r.next") + " END";

    private final Dialect dialect;

    /** One free record is taken; the fence comes back. */
    final Sql take;

    /** The same, but fails if the record is locked, where the database can be told so. */
    final Sql takeAtOnce;

    /** One held record is given back. */
    final Sql give;

    /** With arrays: records change hands, as far as nothing stands in the way. */
    final Sql arrays;

    /** With lists: so many records change hands. */
    final SqlOfSize lists = new SqlOfSize(this::listsSql);

    /** The current or last holder of each of so many records. */
    final SqlOfSize passed = new SqlOfSize(keys -> sql("SELECT k, nonce, tombstone, fence, since FROM leasehold_lease"
            + " WHERE k IN (?" + ", ?".repeat(keys - 1) + ")"));

    PassingStatements(Dialect dialect) {
        this.dialect = dialect;
        this.take = takeSql(dialect == Dialect.MYSQL ? Statements.BRIEFLY : "");
        this.takeAtOnce = takeSql(dialect == Dialect.MYSQL ? Statements.WITHOUT_WAITING : "");
        this.arrays = arraysSql();
        this.give = sql("UPDATE leasehold_lease AS l SET "
                + Statements.END
                        .replace(":keep = 1", "false")
                        .replace(":cooldown", "0")
                        .replace("{now}", "{start}")
                + " WHERE l.k = :k AND l.nonce = :nonce AND l.fence = :fence AND l.state = 'H'"
                + " AND l.waited = 0");
    }

    private Sql takeSql(String manner) {
        boolean returnsRows = dialect.passing != Dialect.Passing.LISTS;
        String fence = "{greatest}(l.fence + 1, {start})";
        return sql(manner + "UPDATE leasehold_lease AS l SET attempts = 1, since = {start}, expiry = {start} + :ttl,"
                + " ttl = :ttl, cooldown = 0, owner = :owner, fingerprint = :fingerprint,"
                // On MySQL, the number comes back with the count.
                + " fence = " + (returnsRows ? fence : "last_insert_id(" + fence + ")")
                + ", nonce = :nonce, state = 'H'"
                + " WHERE l.k = :k AND " + Statements.CLEAN.replace("{now}", "{start}")
                + (returnsRows ? " RETURNING fence" : ""));
    }

    private Sql arraysSql() {
        return sql("UPDATE leasehold_lease AS l SET " + PASS
                + " FROM unnest(:k, :seen, :fence, :next, :owner, :ttl, :fingerprint)"
                + " AS r(id, seen, number, next, label, life, print)"
                + " WHERE " + PASSABLE + " RETURNING l.k, l.fence");
    }

    /**
     * Free records are taken, held ones given back: which it is, is told by the state before. All takers are alike but
     * for their nonces, and the clock is read once, so that it tells the fences of all.
     */
    private Sql listsSql(int steps) {
        String values = "?" + ", ?".repeat(steps - 1);
        String pairs = "(?, ?)" + ", (?, ?)".repeat(steps - 1);
        return sql(Statements.BRIEFLY + "UPDATE leasehold_lease SET prev_owner = NULL, prev_fence = NULL,"
                + " payload = NULL, cooldown = 0, fingerprint = IF(state = 'F', ?, NULL), attempts = IF(state = 'F', 1, 0),"
                + " since = last_insert_id({start}), expiry = {start} + IF(state = 'F', ?, 0),"
                + " ttl = IF(state = 'F', ?, 0), owner = IF(state = 'F', ?, NULL),"
                + " fence = IF(state = 'F', greatest(fence + 1, {start}), fence),"
                + " tombstone = coalesce(nonce, tombstone),"
                + " nonce = ELT(FIELD(k, " + values + "), " + values + "), state = IF(state = 'F', 'H', 'F')"
                + " WHERE k IN (" + values + ") AND (k, fence) IN (" + pairs + ") AND IF(state = 'F',"
                + " FIELD(k, " + values + ") > 0 AND attempts = 0 AND expiry <= {start} AND fingerprint IS NULL"
                + " AND payload IS NULL AND (tombstone IS NULL OR tombstone NOT IN (" + values + ")),"
                + " state = 'H' AND (k, nonce) IN (" + pairs + ") AND waited = 0)");
    }

    private Sql sql(String template) {
        return Statements.sql(template, dialect);
    }
}
