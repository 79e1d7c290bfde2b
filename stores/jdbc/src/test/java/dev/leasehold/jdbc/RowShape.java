package dev.leasehold.jdbc;

import java.time.Duration;

/** The tables that the contract of rows is tried on: what a row has room for, and how it keeps time. */
enum RowShape {
    /** Numbers, and everything that can be mapped. */
    EVERYTHING("owner nonce fence heartbeat", Time.NUMBER),
    /** A fence is enough to tell leases apart. */
    FENCE("owner fence heartbeat", Time.INSTANT),
    NONCE("nonce", Time.TIMESTAMP),
    /** As in the document that asked for it. */
    OWNER_AND_EXPIRY("owner", Time.INSTANT),
    EXPIRY_ONLY("", Time.TIMESTAMP),
    EXPIRY_IN_SECONDS("", Time.SECONDS),
    SINCE_ONLY("since", Time.INSTANT),
    SINCE_IN_SECONDS("since fence", Time.SECONDS);

    static final Duration FIXED = Duration.ofMinutes(5);

    private enum Time {
        NUMBER,
        INSTANT,
        TIMESTAMP,
        SECONDS
    }

    private final String columns;
    private final Time time;

    RowShape(String columns, Time time) {
        this.columns = columns;
        this.time = time;
    }

    boolean has(String column) {
        return (" " + columns + " ").contains(" " + column + " ");
    }

    /** Whether only the moment that was written tells one lease of a row from the next. */
    boolean isMarkedByTime() {
        return !has("nonce") && !has("fence");
    }

    boolean isInSeconds() {
        return time == Time.SECONDS;
    }

    String create(Dialect dialect) {
        String type = type(dialect);
        return "CREATE TABLE jobs (id varchar(100) PRIMARY KEY, title varchar(50), state varchar(20), "
                + "locked_at " + type + ", locked_by varchar(40), lock_fence bigint, lock_nonce varchar(32), beat "
                + type + ")" + (dialect == Dialect.MYSQL ? " CHARACTER SET utf8mb4" : "");
    }

    private String type(Dialect dialect) {
        return switch (time) {
            case NUMBER -> "bigint";
            case INSTANT ->
                switch (dialect) {
                    case POSTGRESQL -> "timestamptz";
                    case MYSQL -> "timestamp(6) NULL DEFAULT NULL";
                    case SQLITE -> "text";
                    case H2 -> "timestamp(6) with time zone";
                };
            case TIMESTAMP -> dialect == Dialect.MYSQL ? "datetime(6)" : "timestamp";
            case SECONDS -> dialect == Dialect.MYSQL ? "datetime" : "timestamp(0)";
        };
    }

    RowMapping mapping() {
        RowMapping mapping = RowMapping.of("jobs")
                .key("id")
                .keyPrefix("jobs/")
                .doneWhen("state", "READY")
                .failedWhen("state", "FAILED");
        mapping = has("since") ? mapping.since("locked_at", FIXED) : mapping.expiry("locked_at");
        mapping = has("owner") ? mapping.owner("locked_by") : mapping;
        mapping = has("fence") ? mapping.fence("lock_fence") : mapping;
        mapping = has("nonce") ? mapping.nonce("lock_nonce") : mapping;
        return has("heartbeat") ? mapping.heartbeat("beat") : mapping;
    }
}
