package dev.leasehold.jdbc;

/**
 * A column that holds moments, in whatever type the user gave it, seen as microseconds.
 *
 * <p>All moments of one column are on the scale of one clock, {@code clock}: microseconds since 1970 in UTC for numbers
 * and instants; for timestamps without a zone, what a clock on the wall shows. They are compared with that clock, and
 * with nothing else.
 *
 * @param column its quoted name
 * @param read the column in microseconds
 * @param write the value to store for the microseconds <code>{x}</code>
 * @param clock what the column's clock shows now
 * @param tickMicros the smallest step that the column can tell apart
 */
record TimeColumn(String column, String read, String write, String clock, long tickMicros) {
    private static final String PG_MICROS = "(CASE WHEN {c} IS NULL THEN NULL WHEN isfinite({c})"
            + " THEN (extract(epoch FROM {c}) * 1000000)::bigint WHEN {c} = 'infinity' THEN 9000000000000000"
            + " ELSE 0 END)";
    private static final String MYSQL_MICROS = "timestampdiff(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', {c})";
    private static final String H2_ZONED_EPOCH = "TIMESTAMP WITH TIME ZONE '1970-01-01 00:00:00+00'";
    private static final String H2_EPOCH = "TIMESTAMP '1970-01-01 00:00:00'";

    /** The moment in UTC microseconds. H2's is of the statement: a user's database lacks our better one. */
    static String now(Dialect dialect) {
        return dialect == Dialect.H2 ? "DATEDIFF(MICROSECOND, " + H2_ZONED_EPOCH + ", CURRENT_TIMESTAMP)" : dialect.now;
    }

    /** Microseconds in a column of numbers. */
    static TimeColumn ofNumbers(String column, Dialect dialect) {
        return new TimeColumn(column, column, "{x}", now(dialect), 1);
    }

    /** A column of instants: it has, or implies, a time zone. */
    static TimeColumn ofInstants(String column, Dialect dialect, long tickMicros) {
        return switch (dialect) {
            case POSTGRESQL ->
                new TimeColumn(
                        column,
                        PG_MICROS.replace("{c}", column),
                        "(timestamptz 'epoch' + ({x}) * interval '1 microsecond')",
                        now(dialect),
                        tickMicros);
            case MYSQL ->
                new TimeColumn(
                        column,
                        "CAST(unix_timestamp(" + column + ") * 1000000 AS SIGNED)",
                        "from_unixtime(({x}) * 0.000001)",
                        now(dialect),
                        tickMicros);
            case SQLITE ->
                // SQLite keeps text, and its functions count in milliseconds.
                new TimeColumn(
                        column,
                        "(CAST(round(unixepoch(" + column + ", 'subsec') * 1000) AS INTEGER) * 1000)",
                        "strftime('%Y-%m-%d %H:%M:%f', ({x}) / 1000000.0, 'unixepoch')",
                        now(dialect),
                        1_000);
            case H2 ->
                new TimeColumn(
                        column,
                        "DATEDIFF(MICROSECOND, " + H2_ZONED_EPOCH + ", " + column + ")",
                        "DATEADD(MICROSECOND, {x}, " + H2_ZONED_EPOCH + ")",
                        now(dialect),
                        tickMicros);
        };
    }

    /** A column of timestamps that have no time zone. */
    static TimeColumn ofTimestamps(String column, Dialect dialect, long tickMicros, boolean isInUtc) {
        return switch (dialect) {
            case POSTGRESQL ->
                new TimeColumn(
                        column,
                        PG_MICROS.replace("{c}", column),
                        "(timestamp 'epoch' + ({x}) * interval '1 microsecond')",
                        isInUtc ? now(dialect) : "(extract(epoch FROM clock_timestamp()::timestamp) * 1000000)::bigint",
                        tickMicros);
            case MYSQL ->
                new TimeColumn(
                        column,
                        MYSQL_MICROS.replace("{c}", column),
                        "timestampadd(MICROSECOND, {x}, TIMESTAMP'1970-01-01 00:00:00')",
                        isInUtc ? now(dialect) : MYSQL_MICROS.replace("{c}", "sysdate(6)"),
                        tickMicros);
            case SQLITE -> ofInstants(column, dialect, tickMicros);
            case H2 ->
                new TimeColumn(
                        column,
                        "DATEDIFF(MICROSECOND, " + H2_EPOCH + ", " + column + ")",
                        "DATEADD(MICROSECOND, {x}, " + H2_EPOCH + ")",
                        isInUtc ? now(dialect) : "DATEDIFF(MICROSECOND, " + H2_EPOCH + ", LOCALTIMESTAMP)",
                        tickMicros);
        };
    }

    /** What is stored for these microseconds: an expression, or a parameter. */
    String writing(String micros) {
        return write.replace("{x}", micros);
    }

    /** The last tick that is not after this moment. */
    long floor(long micros) {
        return Math.floorDiv(micros, tickMicros) * tickMicros;
    }

    /** The first tick that is not before this moment. */
    long ceil(long micros) {
        return floor(micros + tickMicros - 1);
    }

    /** The same in SQL. */
    String floor(String micros) {
        String ticks = column.startsWith("`") ? " DIV " : " / ";
        return tickMicros == 1 ? micros : "((" + micros + ")" + ticks + tickMicros + " * " + tickMicros + ")";
    }

    String ceil(String micros) {
        return tickMicros == 1 ? micros : floor(micros + " + " + (tickMicros - 1));
    }
}
