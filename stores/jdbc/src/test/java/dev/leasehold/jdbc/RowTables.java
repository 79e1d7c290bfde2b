package dev.leasehold.jdbc;

/** Tables of the user's that traps are laid in: rows that exist, and the table of cron scripts. */
enum RowTables {
    /** Only the moment that was written tells one lease from the next, and no row keeps a fence. */
    EXPIRY_ONLY(RowShape.EXPIRY_ONLY),
    NONCE(RowShape.NONCE),
    EVERYTHING(RowShape.EVERYTHING),
    WORKER_LOCK(null);

    static final String FIRST = "1";
    static final String SECOND = "2";

    private final RowShape shape;

    RowTables(RowShape shape) {
        this.shape = shape;
    }

    boolean makesRows() {
        return shape == null;
    }

    RowMapping mapping() {
        return shape == null ? RowMapping.workerLock() : shape.mapping().keyPrefix("");
    }

    String table() {
        return shape == null ? "worker_lock" : "jobs";
    }

    String keyColumn() {
        return shape == null ? "lock_key" : "id";
    }

    String timeColumn() {
        return shape == null ? "expires_at" : "locked_at";
    }

    /** Makes the table, with free rows if acquire does not make them. */
    void create(UserTable user, Kind kind) {
        Dialect dialect = dialect(kind);
        if (shape == null) {
            String time = dialect == Dialect.MYSQL ? "datetime(6)" : "timestamp";
            user.execute(
                    "DROP TABLE IF EXISTS worker_lock",
                    "CREATE TABLE worker_lock (lock_key varchar(100) PRIMARY KEY, expires_at " + time + " NOT NULL)");
        } else {
            user.execute(
                    "DROP TABLE IF EXISTS jobs",
                    shape.create(dialect),
                    "INSERT INTO jobs (id, title) VALUES ('1', 'first'), ('2', 'second')");
        }
    }

    static Dialect dialect(Kind kind) {
        return switch (kind) {
            case POSTGRESQL -> Dialect.POSTGRESQL;
            case MARIADB -> Dialect.MYSQL;
            case SQLITE -> Dialect.SQLITE;
            case H2 -> Dialect.H2;
        };
    }
}
