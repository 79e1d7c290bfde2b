package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The texts that mark a row as done or failed. A settlement writes one and every later call looks for it as text, so the
 * column must give it back as it was written: a boolean of PostgreSQL takes {@code t} and gives {@code true}.
 */
final class RowMarks {
    private final Connection connection;
    private final RowTable table;

    private RowMarks(Connection connection, RowTable table) {
        this.connection = connection;
        this.table = table;
    }

    /**
     * Refuses a mark that its column would keep in other words, or not at all.
     *
     * @throws StoreException with the text to use instead
     */
    static void check(Connection connection, RowTable table) throws SQLException {
        RowMarks marks = new RowMarks(connection, table);
        for (State state : List.of(State.DONE, State.FAILED)) {
            String mark = table.mapping.mark(state);
            if (mark != null && table.has(roleOf(state))) {
                marks.check(state, mark);
            }
        }
    }

    /** The column of this mark. */
    static Role roleOf(State state) {
        return state == State.DONE ? Role.DONE : Role.FAILED;
    }

    private void check(State state, String mark) throws SQLException {
        RowTable.Column column = table.column(roleOf(state));
        String given = "The mark \"" + mark + "\" of " + (state == State.DONE ? "doneWhen" : "failedWhen")
                + " cannot be found again in the column "
                + table.mapping.columns().get(roleOf(state)) + " of " + table.mapping.tableName() + ", which is "
                + column.typeName();
        Optional<String> kept;
        try {
            kept = kept(column, mark);
        } catch (SQLException e) {
            if (SqlErrors.isRefused(e, table.dialect)) {
                throw new StoreException(
                        given + " and does not take it: " + SqlErrors.withoutValues(e, table.dialect), e);
            }
            throw e;
        }
        if (!mark.equals(kept.orElse(mark))) {
            throw new StoreException(
                    given + " and gives it back as \"" + kept.get() + "\". Use the text that the column gives back.");
        }
    }

    /** The mark as the column would give it back, as text; empty if that cannot be told beforehand. */
    private Optional<String> kept(RowTable.Column column, String mark) throws SQLException {
        boolean isCut = table.dialect == Dialect.MYSQL || table.dialect == Dialect.H2;
        if (isCut && table.isText(column)) {
            return Optional.of(table.cut(column, mark));
        }
        String type = switch (table.dialect) {
            case POSTGRESQL -> postgresType(column);
            case MYSQL -> mySqlType(column);
            case H2 -> h2Type(column);
            case SQLITE -> sqliteType(column, mark);
        };
        return type == null
                ? Optional.empty()
                : Optional.of(ask("SELECT " + RowTable.text("CAST(? AS " + type + ")", table.dialect), mark));
    }

    /** With length and fraction, which a cast must know. */
    private String postgresType(RowTable.Column column) throws SQLException {
        return ask(
                "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = ?::regclass AND attname ="
                        + " ?",
                table.name,
                column.name());
    }

    private static @Nullable String mySqlType(RowTable.Column column) {
        return switch (column.type()) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.BOOLEAN -> "SIGNED";
            case Types.BIT -> column.typeName().equals("bit") ? null : "SIGNED";
            case Types.DECIMAL, Types.NUMERIC -> "DECIMAL(" + column.precision() + ", " + column.scale() + ")";
            case Types.REAL, Types.FLOAT, Types.DOUBLE -> "DOUBLE";
            default -> null;
        };
    }

    private static @Nullable String h2Type(RowTable.Column column) {
        return switch (column.type()) {
            case Types.TINYINT,
                    Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.BOOLEAN,
                    Types.REAL,
                    Types.FLOAT,
                    Types.DOUBLE -> column.typeName();
            case Types.DECIMAL, Types.NUMERIC -> "NUMERIC(" + column.precision() + ", " + column.scale() + ")";
            default -> null;
        };
    }

    /** Columns of numbers make a number of a text that looks like one, and keep all others as they are. */
    private static @Nullable String sqliteType(RowTable.Column column, String mark) {
        String type = column.typeName().toUpperCase(Locale.ROOT);
        try {
            new BigDecimal(mark.trim());
        } catch (NumberFormatException e) {
            return null;
        }
        if (type.contains("INT")) {
            return "NUMERIC";
        } else if (type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") || type.contains("BLOB")) {
            return null;
        }
        return type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") ? "REAL" : "NUMERIC";
    }

    private String ask(String query, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? String.valueOf(rows.getString(1)) : "";
            }
        }
    }
}
