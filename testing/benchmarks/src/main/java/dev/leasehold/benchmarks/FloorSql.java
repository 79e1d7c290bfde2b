package dev.leasehold.benchmarks;

/**
 * The fewest and cheapest statements that make a lease with a fence on each store, with the store's clock.
 *
 * @param acquire key, nonce and TTL in microseconds; gives back the fence, or changes nothing
 * @param insert the same for a key that has no record yet, where {@code acquire} cannot make one
 * @param release key and nonce
 * @param guard key; a row if the key is held, so that a refusal only reads
 */
record FloorSql(String create, String acquire, String insert, String release, String guard, String fill) {
    static FloorSql of(StoreKind store) {
        return switch (store) {
            case POSTGRES ->
                new FloorSql(
                        "CREATE TABLE IF NOT EXISTS floor (k text COLLATE \"C\" PRIMARY KEY, nonce text COLLATE \"C\","
                                + " fence bigint NOT NULL, expiry timestamptz NOT NULL) WITH (fillfactor = 50)",
                        "INSERT INTO floor AS l (k, nonce, fence, expiry)"
                                + " VALUES (?, ?, 1, clock_timestamp() + ? * interval '1 microsecond')"
                                + " ON CONFLICT (k) DO UPDATE SET nonce = excluded.nonce, fence = l.fence + 1,"
                                + " expiry = excluded.expiry WHERE l.expiry <= clock_timestamp() RETURNING fence",
                        "",
                        "UPDATE floor SET nonce = NULL, expiry = '-infinity' WHERE k = ? AND nonce = ?",
                        "SELECT 1 FROM floor WHERE k = ? AND expiry > clock_timestamp()",
                        "INSERT INTO floor (k, fence, expiry) {s} SELECT 'job-' || i, 1, '-infinity' FROM s");
            case MARIADB ->
                new FloorSql(
                        "CREATE TABLE IF NOT EXISTS floor (k varbinary(512) PRIMARY KEY, nonce char(32) CHARACTER SET ascii,"
                                + " fence bigint NOT NULL, expiry datetime(6) NOT NULL) ENGINE=InnoDB",
                        "UPDATE floor SET nonce = ?, fence = last_insert_id(fence + 1),"
                                + " expiry = utc_timestamp(6) + INTERVAL ? MICROSECOND"
                                + " WHERE k = ? AND expiry <= utc_timestamp(6)",
                        "INSERT IGNORE INTO floor (nonce, fence, expiry, k)"
                                + " VALUES (?, 1, utc_timestamp(6) + INTERVAL ? MICROSECOND, ?)",
                        "UPDATE floor SET nonce = NULL, expiry = '1970-01-01' WHERE k = ? AND nonce = ?",
                        "SELECT 1 FROM floor WHERE k = ? AND expiry > utc_timestamp(6)",
                        "INSERT INTO floor (k, fence, expiry) {s} SELECT concat('job-', i), 1, '1970-01-01' FROM s");
            case SQLITE ->
                new FloorSql(
                        "CREATE TABLE IF NOT EXISTS floor (k TEXT NOT NULL PRIMARY KEY, nonce TEXT, fence INTEGER NOT NULL,"
                                + " expiry REAL NOT NULL) WITHOUT ROWID",
                        "INSERT INTO floor AS l (k, nonce, fence, expiry) VALUES (?, ?, 1, unixepoch('subsec') + ? / 1e6)"
                                + " ON CONFLICT (k) DO UPDATE SET nonce = excluded.nonce, fence = l.fence + 1,"
                                + " expiry = excluded.expiry WHERE l.expiry <= unixepoch('subsec') RETURNING fence",
                        "",
                        "UPDATE floor SET nonce = NULL, expiry = 0 WHERE k = ? AND nonce = ?",
                        "SELECT 1 FROM floor WHERE k = ? AND expiry > unixepoch('subsec')",
                        "INSERT INTO floor (k, fence, expiry) {s} SELECT 'job-' || i, 1, 0 FROM s");
            case REDIS, FIRESTORE -> throw store.speaksNoSql();
        };
    }
}
