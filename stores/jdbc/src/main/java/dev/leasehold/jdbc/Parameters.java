package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Payload;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values for the named parameters of a statement: data, whatever text they hold. */
final class Parameters {
    private final Dialect dialect;
    private final Map<String, Object> values = new HashMap<>();

    Parameters(Dialect dialect) {
        this.dialect = dialect;
    }

    /** No value, of a type that the database can tell. */
    private enum Null {
        TEXT(Types.VARCHAR),
        NUMBER(Types.BIGINT),
        BYTES(Types.VARBINARY),
        ANY(Types.NULL);

        private final int type;

        Null(int type) {
            this.type = type;
        }
    }

    /** Many values at once, of a type that the database can tell. */
    private record Many(String type, List<?> values) {}

    Parameters key(String name, Key key) {
        return keyText(name, key.value());
    }

    /** Text that is compared with keys. */
    Parameters keyText(String name, @Nullable String text) {
        if (dialect.keys == Dialect.Keys.TEXT) {
            return text(name, text);
        }
        values.put(name, text == null ? Null.BYTES : text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    Parameters text(String name, @Nullable Object text) {
        values.put(name, text == null ? Null.TEXT : text.toString());
        return this;
    }

    /** A value of the user's own, of a type that every driver knows. */
    Parameters value(String name, Object value) {
        values.put(name, value);
        return this;
    }

    /** No value: a number, or of the type that its column has. */
    Parameters nothing(String name, boolean isNumber) {
        values.put(name, isNumber ? Null.NUMBER : Null.ANY);
        return this;
    }

    Parameters number(String name, long number) {
        values.put(name, number);
        return this;
    }

    Parameters fence(String name, @Nullable Fence fence) {
        values.put(name, fence == null ? Null.NUMBER : fence.value());
        return this;
    }

    Parameters time(String name, Duration time) {
        return number(name, Micros.of(time));
    }

    Parameters flag(String name, boolean flag) {
        return number(name, flag ? 1 : 0);
    }

    Parameters bytes(String name, @Nullable Payload payload) {
        values.put(name, payload == null ? Null.BYTES : payload.bytes());
        return this;
    }

    /** What is taken of each of many. */
    interface Column<T> {
        @Nullable
        Object of(T one);
    }

    /** An array of texts, on databases that have arrays. */
    <T> Parameters texts(String name, List<T> all, Column<T> column) {
        return many(name, "text", all, one -> {
            Object value = column.of(one);
            return value == null ? null : value.toString();
        });
    }

    /** An array of numbers, on databases that have arrays. */
    <T> Parameters numbers(String name, List<T> all, Column<T> column) {
        return many(name, "bigint", all, column);
    }

    @SuppressWarnings("NullAway") // An array of the database may well have nulls.
    private <T> Parameters many(String name, String type, List<T> all, Column<T> column) {
        List<Object> array = new ArrayList<>(all.size());
        for (T one : all) {
            array.add(column.of(one));
        }
        values.put(name, new Many(type, array));
        return this;
    }

    /** Gives each parameter of the statement its value. A name without one is a mistake in this package. */
    void bind(Sql sql, PreparedStatement statement) throws SQLException {
        int index = 0;
        for (String name : sql.names()) {
            Object value = values.get(name);
            index++;
            if (value == null) {
                throw new IllegalArgumentException("No value for :" + name + " in " + sql.text());
            } else if (value instanceof Null typed) {
                statement.setNull(index, typed.type);
            } else if (value instanceof Many many) {
                statement.setArray(index, statement.getConnection().createArrayOf(many.type, many.values.toArray()));
            } else {
                statement.setObject(index, value);
            }
        }
    }
}
