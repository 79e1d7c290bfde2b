package dev.leasehold.jdbc;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What differs between databases: how the clock is read at the moment of the decision, how keys are stored, how a
 * change gives back the row it made, and how a connection is made ready.
 *
 * <p>Clocks are read anew wherever {@code now} stands, also after a statement has waited for a lock. None of them knows
 * a time zone.
 */
enum Dialect {
    POSTGRESQL(
            "postgresql",
            "(date_part('epoch', clock_timestamp()) * 1000000)::bigint",
            "(date_part('epoch', clock_timestamp()) * 1000000)::bigint",
            "greatest",
            Keys.TEXT,
            Grant.ONE_STATEMENT,
            Passing.ARRAYS,
            // The plans that are right for many records are taken from the first, in the order of the keys. Unlike a
            // bitmap scan, an index scan marks the entries of deleted places, so that the next one passes them over.
            "SET statement_timeout = {call}; SET lock_timeout = 50;"
                    + " SET idle_in_transaction_session_timeout = {call}; SET plan_cache_mode = force_generic_plan;"
                    + " SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_hashjoin = off;"
                    + " SET enable_mergejoin = off; SET jit = off"),
    /** Also MariaDB, on which it is tested. */
    MYSQL(
            "mysql",
            "(timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))"
                    + " + timestampdiff(MICROSECOND, now(6), sysdate(6)))",
            "timestampdiff(MICROSECOND, '1970-01-01', utc_timestamp(6))",
            "greatest",
            Keys.BYTES,
            Grant.UPDATE_FIRST,
            Passing.LISTS,
            // The zone, because the clock is put together from local times, which jump twice a year.
            // Only MariaDB, which reads such comments, limits a statement, and how long a transaction may be idle:
            // a client that goes silent inside a transaction must not keep a key closed.
            "SET SESSION innodb_lock_wait_timeout = 1"
                    + " /*M! , max_statement_time = {callSeconds}, idle_transaction_timeout = {idleSeconds} */;"
                    + " SET SESSION time_zone = '+00:00'"),
    SQLITE(
            "sqlite",
            "(CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000)",
            "(CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000)",
            "max",
            Keys.TEXT,
            Grant.UPSERT,
            Passing.ONE_BY_ONE,
            "PRAGMA busy_timeout = {lock}"),
    H2(
            "h2",
            "(LEASEHOLD_NOW_MILLIS() * 1000)",
            "(LEASEHOLD_NOW_MILLIS() * 1000)",
            "greatest",
            Keys.BYTES,
            Grant.UPDATE_FIRST,
            Passing.UNKNOWN,
            "SET LOCK_TIMEOUT 50");

    /** How keys are kept so that different ones never merge and are ordered by code point. */
    enum Keys {
        TEXT,
        BYTES
    }

    /** How a lease is granted. */
    enum Grant {
        /** One statement grants and gives back the row, or reads the one that is in the way. */
        ONE_STATEMENT,
        /** One statement grants and gives back the row; another reads what is in the way. */
        UPSERT,
        /** One statement changes a row that is there; the others read it or make it. */
        UPDATE_FIRST
    }

    /** How many records change hands at once. */
    enum Passing {
        /** One statement over arrays gives back the records that did. */
        ARRAYS,
        /** One statement over lists; another looks at what became of them, if they were not all as expected. */
        LISTS,
        /** One transaction of many statements: the way to the database is short. */
        ONE_BY_ONE,
        /** Not at all. */
        UNKNOWN
    }

    final String schema;
    final String now;

    /**
     * The clock when the statement began or later, whichever is cheaper to read. Enough where a clock that is late errs
     * on the safe side: to take what is free, and to give back.
     */
    final String start;

    final String greatest;
    final Keys keys;
    final Grant grant;
    final Passing passing;

    private final String greeting;

    Dialect(
            String schema,
            String now,
            String start,
            String greatest,
            Keys keys,
            Grant grant,
            Passing passing,
            String greeting) {
        this.schema = schema;
        this.now = now;
        this.start = start;
        this.greatest = greatest;
        this.keys = keys;
        this.grant = grant;
        this.passing = passing;
        this.greeting = greeting;
    }

    /**
     * What a connection of ours is told first; times in braces. A statement that meets a row which another transaction
     * has locked does not wait for long: it gives its connection to the next call and is sent again. SQLite, which locks
     * the whole database, waits.
     */
    List<String> greeting() {
        return List.of(greeting.split("; ", -1));
    }

    /** The same, but the session stays in its own zone: for rows of the user's whose times are local. */
    List<String> greetingInLocalTime() {
        return greeting().stream()
                .filter(command -> !command.contains("time_zone"))
                .toList();
    }

    /** The dialect of a database, by the name its driver gives it. */
    static Dialect of(String productName) {
        String name = productName.toLowerCase(Locale.ROOT);
        if (name.contains("postgresql")) {
            return POSTGRESQL;
        }
        if (name.contains("mariadb") || name.contains("mysql")) {
            return MYSQL;
        }
        if (name.contains("sqlite")) {
            return SQLITE;
        }
        if (name.equals("h2")) {
            return H2;
        }
        throw new IllegalArgumentException("Leasehold has no dialect for the database \"" + productName
                + "\"; it knows " + Arrays.toString(values()) + ".");
    }
}
