package dev.leasehold.jdbc;

import dev.leasehold.store.Fields;
import dev.leasehold.store.Payload;
import dev.leasehold.store.StoreRefusedException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a user's row that a run reads and writes, as {@link Fields}. Columns of a time with a time zone are read
 * and written as {@link Instant}; those without one are text to a run, because nobody can tell which moment they mean.
 */
final class RowFields {
    /** The columns of a select list are called by their number, so that no name can clash with one of ours. */
    private static final String ALIAS = "field_";

    /** Microseconds, which may be more than 64 bits have, or {@code infinity}. */
    private static final String POSTGRES_TIME =
            "(CASE WHEN isfinite({c}) THEN trunc(extract(epoch FROM {c}) * 1000000)::text ELSE {c}::text END)";

    private static final BigInteger MICROS_IN_SECOND = BigInteger.valueOf(1_000_000);

    /** MariaDB keeps no other moments in a timestamp, and makes NULL of them. */
    private static final Instant FIRST_OF_MYSQL = Instant.ofEpochSecond(1);

    private static final Instant END_OF_MYSQL = Instant.ofEpochSecond(1L << 31).minusSeconds(1);

    private final RowTable table;
    private final List<Field> reads;
    private final Map<String, Field> writes;

    /**
     * One column.
     *
     * @param name what a run calls it
     * @param time how to read and write it if it is a time with a time zone
     */
    record Field(
            String name, RowTable.Column column, @Nullable TimeColumn time) {
        /** SQLite takes the quoted name of a column that is gone for a text, unless its table is named. */
        String select(int index, RowTable table) {
            String value = table.dialect == Dialect.SQLITE ? table.name + "." + column.quoted() : column.quoted();
            if (time != null) {
                value = table.dialect == Dialect.POSTGRESQL ? POSTGRES_TIME.replace("{c}", value) : time.read();
            }
            return value + " AS " + ALIAS + index;
        }
    }

    RowFields(RowTable table, List<RowTable.Column> read, List<RowTable.Column> written) {
        this.table = table;
        this.reads = read.stream().map(this::field).toList();
        this.writes = new LinkedHashMap<>();
        written.forEach(column -> {
            Field field = field(column);
            writes.put(field.name(), field);
        });
    }

    private Field field(RowTable.Column column) {
        return new Field(
                table.field(column), column, table.instantColumn(column).orElse(null));
    }

    /** The names of the fields that a run may write. */
    Set<String> writable() {
        return writes.keySet();
    }

    /** The quoted names of the columns that a run may write. */
    List<String> changed() {
        return writes.values().stream().map(field -> field.column().quoted()).toList();
    }

    /** The columns to add to a select list; empty if nothing is read. */
    String selected() {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < reads.size(); i++) {
            list.append(", ").append(reads.get(i).select(i, table));
        }
        return list.toString();
    }

    /** The fields of the row under the cursor. */
    Fields read(ResultSet row) throws SQLException {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 0; i < reads.size(); i++) {
            values.put(reads.get(i).name(), value(row, ALIAS + i, reads.get(i)));
        }
        return Fields.of(values);
    }

    /** A value that is not of its column's usual kind is read as what it is: no single value makes a row unreadable. */
    private @Nullable Object value(ResultSet row, String alias, Field field) throws SQLException {
        if (field.time() != null) {
            return time(row.getString(alias));
        }
        if (table.dialect == Dialect.SQLITE) {
            Object there = row.getObject(alias);
            if ((there instanceof String || there instanceof Double) && !isOfKind(there, field.column())) {
                return there;
            }
        }
        try {
            return usualValue(row, alias, field);
        } catch (SQLException e) {
            if (SqlErrors.isLostConnection(e)) {
                throw e;
            }
            return unusualValue(row.getString(alias));
        }
    }

    /** Any column of SQLite may hold a value of any type, of which its driver would make a 0. */
    private static boolean isOfKind(Object value, RowTable.Column column) {
        return switch (column.type()) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.BIT, Types.BOOLEAN -> false;
            case Types.REAL, Types.FLOAT, Types.DOUBLE, Types.DECIMAL, Types.NUMERIC -> value instanceof Double;
            default -> true;
        };
    }

    /** Microseconds as a moment; a text that is no number as it is. */
    private static @Nullable Object time(@Nullable String micros) {
        if (micros == null) {
            return null;
        }
        try {
            BigInteger[] parts = new BigDecimal(micros).toBigIntegerExact().divideAndRemainder(MICROS_IN_SECOND);
            return Instant.ofEpochSecond(parts[0].longValueExact(), parts[1].longValueExact() * 1_000);
        } catch (NumberFormatException e) {
            return micros;
        }
    }

    /** A number that is too large for 64 bits, or is none, such as {@code NaN}; any other value as text. */
    private static @Nullable Object unusualValue(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            return text.equals("NaN") ? Double.valueOf(Double.NaN) : text;
        }
    }

    private static @Nullable Object usualValue(ResultSet row, String alias, Field field) throws SQLException {
        Object value = switch (field.column().type()) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> row.getLong(alias);
            case Types.BIT, Types.BOOLEAN ->
                field.column().isBits() ? row.getString(alias) : (Object) row.getBoolean(alias);
            case Types.REAL, Types.FLOAT, Types.DOUBLE -> row.getDouble(alias);
            case Types.DECIMAL, Types.NUMERIC -> row.getBigDecimal(alias);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> row.getBytes(alias);
            default -> row.getString(alias);
        };
        return row.wasNull() ? null : value;
    }

    /**
     * The assignments for these fields, in their order.
     *
     * @throws StoreRefusedException if the mapping does not allow one of them to be written
     */
    List<String> assignments(Fields written) {
        List<String> assignments = new ArrayList<>();
        for (String name : written.names()) {
            Field field = writes.get(name);
            if (field == null) {
                throw refused("A run may not write the field " + name + " of " + table.mapping.tableName()
                        + ". Name its column in writes(...) of the mapping, or leave it out of what the codec writes."
                        + " It may write: " + writes.keySet() + ".");
            }
            String parameter = ":" + parameter(assignments.size());
            assignments.add(field.column().quoted() + " = "
                    + (field.time() == null
                            ? table.cast(field.column(), parameter)
                            : field.time().writing(parameter)));
        }
        return assignments;
    }

    /** Names of parameters have letters only. */
    private static String parameter(int index) {
        return "written" + "x".repeat(index);
    }

    void bind(Fields written, Parameters parameters) {
        int index = 0;
        for (String name : written.names()) {
            Field field = writes.get(name);
            Object value = written.value(name);
            bind(name, field, value, parameter(index), parameters);
            index++;
        }
    }

    private void bind(
            String name, @Nullable Field field, @Nullable Object value, String parameter, Parameters parameters) {
        boolean isTime = field != null && field.time() != null;
        if (isTime != (value instanceof Instant) && value != null) {
            throw refused("The field " + name + " of " + table.mapping.tableName() + " is "
                    + (isTime ? "a time: write an Instant" : "no time with a time zone: write text, not an Instant")
                    + ".");
        }
        if (value == null) {
            parameters.nothing(parameter, isTime);
        } else if (value instanceof Instant instant) {
            parameters.number(parameter, micros(name, instant));
        } else if (value instanceof byte[] bytes) {
            parameters.bytes(parameter, Payload.of(bytes));
        } else if (value instanceof String
                || value instanceof Long
                || value instanceof Double
                || value instanceof BigDecimal
                || value instanceof Boolean) {
            parameters.value(parameter, value);
        } else {
            throw refused("The field " + name + " of " + table.mapping.tableName()
                    + " is a list or a map, which a column cannot keep. Write it as text, such as JSON.");
        }
    }

    /**
     * Whether a row with these fields may be one that this was written to. The database may give back numbers and times with
     * fewer digits, texts without blanks at the end, and values of types of its own, such as JSON, in other words.
     */
    boolean mayBe(Fields written, Fields read) {
        return written.names().stream()
                .filter(read::has)
                .allMatch(name -> mayBe(writes.get(name), written.value(name), read.value(name)));
    }

    private boolean mayBe(@Nullable Field field, @Nullable Object written, @Nullable Object read) {
        if (field == null || written == null || read == null) {
            return written == read;
        }
        boolean isExact = written instanceof Long || written instanceof Boolean;
        if (isExact && read.getClass() == written.getClass()) {
            return written.equals(read);
        }
        if (written instanceof Number one && read instanceof Number other) {
            double difference = Math.abs(one.doubleValue() - other.doubleValue());
            double lastDigit = Math.pow(10, -field.column().scale());
            return difference < lastDigit || difference < Math.abs(one.doubleValue()) / 100_000;
        }
        if (written instanceof Instant one && read instanceof Instant other) {
            return Math.abs(ChronoUnit.MILLIS.between(one, other)) < 1_000;
        }
        if (written instanceof String one && read instanceof String other) {
            return !table.isText(field.column()) || one.stripTrailing().equals(other.stripTrailing());
        }
        return true;
    }

    private long micros(String name, Instant instant) {
        if (table.dialect == Dialect.MYSQL && (instant.isBefore(FIRST_OF_MYSQL) || instant.isAfter(END_OF_MYSQL))) {
            throw refused("The time in the field " + name + " of " + table.mapping.tableName()
                    + " is none that a column of type timestamp keeps: that begins in 1970 and ends in 2038. Use another"
                    + " type, such as datetime, and write text.");
        }
        try {
            return ChronoUnit.MICROS.between(Instant.EPOCH, instant);
        } catch (ArithmeticException e) {
            throw refused("The time in the field " + name + " of " + table.mapping.tableName() + " is too far away.");
        }
    }

    /** Nothing was written, and nothing will be: the work's result is at fault. */
    private static StoreRefusedException refused(String message) {
        return new StoreRefusedException(message, null);
    }
}
