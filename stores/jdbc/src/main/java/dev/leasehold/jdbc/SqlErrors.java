package dev.leasehold.jdbc;

import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.sql.SQLException;
import java.util.Set;

/** What a database's errors mean to us. Decided by SQLSTATE and vendor code, never by class, and by text only on SQLite. */
final class SqlErrors {
    /** Serialization failure, deadlock, unique violation between two who make the same record. */
    private static final Set<String> CONFLICT_STATES = Set.of("40001", "40P01", "23505", "55P03");

    /**
     * MySQL: deadlock, lock wait timeout, record changed, duplicate, statement that took too long. H2: lock timeout,
     * concurrent update, duplicate.
     */
    private static final Set<Integer> CONFLICT_CODES = Set.of(1213, 1205, 1020, 1062, 1969, 50200, 90131, 23505);

    /** MySQL: lock wait timeout, statement that took too long. H2: lock timeout. */
    private static final Set<Integer> LOCKED_CODES = Set.of(1205, 1969, 50200);

    /**
     * H2, on which sessions that define the same things at once get in each other's way: a table, index or alias is there
     * already, or, without a code of its own, some other object is.
     */
    private static final Set<Integer> DEFINED_CODES = Set.of(42101, 42111, 90076, 50000);

    private static final Set<String> MISSING_STATES = Set.of("42P01", "42S02", "42S04", "42102", "42104");

    private static final Set<String> MISSING_COLUMN_STATES = Set.of("42703", "42S22", "42122");

    /** MySQL: read_only, a transaction that may not write, innodb_read_only. H2: the database is read only. */
    private static final Set<Integer> READ_ONLY_CODES = Set.of(1290, 1792, 1836, 90097);

    /** MySQL: a command on a table, on a column, on a database. H2: not enough rights. */
    private static final Set<Integer> DENIED_CODES = Set.of(1142, 1143, 1044, 90096);

    /** Too many connections; starting or stopping. */
    private static final Set<String> FULL_STATES = Set.of("53300", "57P03");

    /** MySQL: too many connections, of all users or of this one. */
    private static final Set<Integer> FULL_CODES = Set.of(1040, 1203, 1226);

    /**
     * A value that its column does not take, a rule of the table, a statement that does not fit the types of the columns, a
     * view with a rule, and an error that a trigger raises.
     */
    private static final Set<String> REFUSED_CLASSES = Set.of("22", "23", "42", "44", "P0");

    /**
     * MySQL, which has no state of its own for these: a statement that is too large, a value that is cut, of no number or of
     * other characters; what a trigger signals, by whatever state; a rule.
     */
    private static final Set<Integer> REFUSED_CODES =
            Set.of(1153, 1264, 1265, 1292, 1364, 1366, 1406, 1643, 1644, 3819, 4025);

    private static final Set<Integer> DUPLICATE_CODES = Set.of(1062, 23505);

    private SqlErrors() {}

    /**
     * Returns whether the database will never take what a statement writes to a row that is there. Another row with the
     * same value is no collision then.
     */
    static boolean isRefused(SQLException error, Dialect dialect) {
        int code = error.getErrorCode();
        if (dialect == Dialect.SQLITE) {
            return Set.of(18, 19, 20).contains(code & 0xFF); // too big, constraint, mismatch
        }
        String state = String.valueOf(error.getSQLState());
        if (state.equals("23505") || DUPLICATE_CODES.contains(code)) {
            return true;
        }
        return !isConflict(error, dialect)
                && !isMissing(error, dialect)
                && !isColumnMissing(error, dialect)
                && (REFUSED_CODES.contains(code)
                        || (state.length() == 5 && REFUSED_CLASSES.contains(state.substring(0, 2))));
    }

    /**
     * Returns the database's message without the row's values: callers see it, and it may be kept as the reason. Details
     * and the statement follow the first line, or the mark of H2; the rest is in the cause. A value with a line break has
     * no closing quote on the first line, so all of the line after the opening one is left out.
     */
    static String withoutValues(SQLException error, Dialect dialect) {
        String said = firstLine(error);
        return switch (dialect) {
            case POSTGRESQL -> said.replaceAll("(: |\\bvalue )\"(.*\"|.*$)", "$1\"…\"");
            case MYSQL -> said.replaceAll("(Duplicate entry|value:?) '(.*'(?= for |$)|.*$)", "$1 '…'");
            case H2 ->
                said.replaceAll(";? SQL statement:.*", "")
                        .replaceAll(" VALUES \\(.*", "\"")
                        .replaceAll("'(.*'|.*$)", "'…'")
                        .replaceAll("(\\bconstant |: )\"(.*\"|.*$)", "$1\"…\"")
                        .replaceAll("(Data conversion error converting) .*", "$1 a value");
            case SQLITE -> said;
        };
    }

    /** Whether the same statement may well succeed if it is sent again at once. */
    static boolean isConflict(SQLException error, Dialect dialect) {
        String state = error.getSQLState();
        if (dialect == Dialect.SQLITE) {
            int code = error.getErrorCode() & 0xFF;
            return code == 5 || code == 6; // busy, locked, and their extended forms
        }
        return (state != null && CONFLICT_STATES.contains(state)) || CONFLICT_CODES.contains(error.getErrorCode());
    }

    /**
     * Whether another transaction has a row locked, and the statement did not wait for it any longer. Never on SQLite,
     * which locks the whole database: the row may be anybody's.
     */
    static boolean isLocked(SQLException error, Dialect dialect) {
        return dialect != Dialect.SQLITE
                && ("55P03".equals(error.getSQLState()) || LOCKED_CODES.contains(error.getErrorCode()));
    }

    /** Whether the same definition of a table may well succeed if it is sent again. */
    static boolean isConflictOfDefinitions(SQLException error, Dialect dialect) {
        return isConflict(error, dialect) || (dialect == Dialect.H2 && DEFINED_CODES.contains(error.getErrorCode()));
    }

    /** Whether the connection is gone, or the server. */
    static boolean isLostConnection(SQLException error) {
        String state = error.getSQLState();
        return state != null && (state.startsWith("08") || state.startsWith("57P"));
    }

    /** Whether the server has no connection for us now, but may have one in a moment. */
    static boolean isFull(SQLException error) {
        String state = error.getSQLState();
        return (state != null && FULL_STATES.contains(state)) || FULL_CODES.contains(error.getErrorCode());
    }

    /** Whether the database, or the transaction, may not be written to. */
    static boolean isReadOnly(SQLException error, Dialect dialect) {
        return dialect == Dialect.SQLITE
                ? (error.getErrorCode() & 0xFF) == 8
                : "25006".equals(error.getSQLState()) || READ_ONLY_CODES.contains(error.getErrorCode());
    }

    /** Whether this user lacks the right to do it. */
    static boolean isDenied(SQLException error) {
        return "42501".equals(error.getSQLState()) || DENIED_CODES.contains(error.getErrorCode());
    }

    /** Whether a table is not there. */
    private static boolean isMissing(SQLException error, Dialect dialect) {
        String state = error.getSQLState();
        return (state != null && MISSING_STATES.contains(state))
                || (dialect == Dialect.SQLITE && says(error, "no such table"));
    }

    /** Whether a column is not there. */
    private static boolean isColumnMissing(SQLException error, Dialect dialect) {
        String state = error.getSQLState();
        return (state != null && MISSING_COLUMN_STATES.contains(state))
                || (dialect == Dialect.SQLITE && says(error, "no such column"));
    }

    /** SQLite has one code, 1, for every mistake in a statement and for much else; only the text tells them apart. */
    private static boolean says(SQLException error, String text) {
        return error.getErrorCode() == 1 && String.valueOf(error.getMessage()).contains(text);
    }

    private static String firstLine(SQLException error) {
        return String.valueOf(error.getMessage()).lines().findFirst().orElse("");
    }

    static StoreException translate(SQLException error, Dialect dialect) {
        if (isMissing(error, dialect) || (dialect == Dialect.SQLITE && isColumnMissing(error, dialect))) {
            return new MissingSchemaException(
                    "Leasehold's tables are not in this database, or of another version (" + firstLine(error) + ").",
                    Schema.advice(dialect),
                    error);
        }
        return unavailable(error);
    }

    /** The same for a table of the user's, which was there when the store was opened. */
    static StoreException translateOnRows(SQLException error, Dialect dialect, String table) {
        if (isColumnMissing(error, dialect)) {
            return new MissingColumnException(
                    "The table " + table + " has lost a column since this store looked at it: " + firstLine(error),
                    error);
        }
        if (isMissing(error, dialect)) {
            return new StoreException("The table " + table + " cannot be found any more: " + firstLine(error), error);
        }
        return isRefused(error, dialect)
                ? new StoreException(
                        "The database refuses to change a row of " + table + ": " + withoutValues(error, dialect),
                        error)
                : unavailable(error);
    }

    private static StoreUnavailableException unavailable(SQLException error) {
        return new StoreUnavailableException("The database gave no answer of use: " + firstLine(error), error);
    }
}
