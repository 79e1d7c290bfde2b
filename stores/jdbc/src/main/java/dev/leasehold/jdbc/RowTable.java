package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import dev.leasehold.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A table of the user's, with the columns of a mapping found in it, checked and quoted. */
final class RowTable {
    private static final int NONCE_LENGTH = 32;

    final RowMapping mapping;
    final Dialect dialect;
    final String name;
    final KeyColumn key;
    final TimeColumn time;
    final @Nullable TimeColumn heartbeat;
    private final Map<Role, Column> columns;

    /** A column as the database describes it. */
    private record Column(String name, String quoted, int type, String typeName, int precision, int scale, int nulls) {
        @Override
        public String toString() {
            return name;
        }
    }

    private RowTable(RowMapping mapping, Dialect dialect, String name, Map<Role, Column> columns) {
        this.mapping = mapping;
        this.dialect = dialect;
        this.name = name;
        this.columns = columns;
        this.key = keyColumn(column(Role.KEY));
        this.time = timeColumn(column(columns.containsKey(Role.EXPIRY) ? Role.EXPIRY : Role.SINCE));
        this.heartbeat = columns.containsKey(Role.HEARTBEAT) ? timeColumn(column(Role.HEARTBEAT)) : null;
        checkTypes();
    }

    /**
     * Finds the table and its columns.
     *
     * @throws StoreException if one is missing or cannot serve its purpose, by name
     */
    static RowTable find(Connection connection, Dialect dialect, RowMapping mapping) throws SQLException {
        SQLException failure = null;
        for (List<String> parts : spellings(connection, mapping.table())) {
            String quoted = String.join(
                    ".", parts.stream().map(part -> quote(part, dialect)).toList());
            try (Statement statement = connection.createStatement();
                    ResultSet nothing = statement.executeQuery("SELECT * FROM " + quoted + " WHERE 1 = 0")) {
                List<Column> there = describe(nothing.getMetaData(), dialect);
                RowTable table = new RowTable(mapping, dialect, quoted, assign(mapping, there));
                table.checkUnique(connection, parts.get(parts.size() - 1));
                return table;
            } catch (SQLException e) {
                failure = e;
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                }
            }
        }
        throw new StoreException(
                "The table " + mapping.tableName() + " cannot be read: "
                        + Objects.requireNonNull(failure).getMessage(),
                failure);
    }

    /** The name as written, and as the database spells names that are not quoted. */
    private static Set<List<String>> spellings(Connection connection, List<String> parts) throws SQLException {
        Set<List<String>> spellings = new LinkedHashSet<>();
        spellings.add(parts);
        if (connection.getMetaData().storesUpperCaseIdentifiers()) {
            spellings.add(
                    parts.stream().map(part -> part.toUpperCase(Locale.ROOT)).toList());
        }
        if (connection.getMetaData().storesLowerCaseIdentifiers()) {
            spellings.add(
                    parts.stream().map(part -> part.toLowerCase(Locale.ROOT)).toList());
        }
        return spellings;
    }

    private static String quote(String name, Dialect dialect) {
        String quote = dialect == Dialect.MYSQL ? "`" : "\"";
        return quote + name.replace(quote, quote + quote) + quote;
    }

    private static List<Column> describe(ResultSetMetaData data, Dialect dialect) throws SQLException {
        List<Column> columns = new ArrayList<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
            String name = data.getColumnName(i);
            columns.add(new Column(
                    name,
                    quote(name, dialect),
                    data.getColumnType(i),
                    data.getColumnTypeName(i).toLowerCase(Locale.ROOT),
                    data.getPrecision(i),
                    data.getScale(i),
                    data.isNullable(i)));
        }
        return columns;
    }

    private static Map<Role, Column> assign(RowMapping mapping, List<Column> there) {
        Map<Role, Column> assigned = new EnumMap<>(Role.class);
        mapping.columns().forEach((role, name) -> {
            Column column = there.stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .or(() -> there.stream()
                            .filter(one -> one.name().equalsIgnoreCase(name))
                            .findFirst())
                    .orElseThrow(() -> new StoreException("The table " + mapping.tableName() + " has no column "
                            + name + ", which is mapped as " + role + ". It has: "
                            + String.join(", ", there.stream().map(Column::name).toList()) + "."));
            assigned.put(role, column);
        });
        return assigned;
    }

    private Column column(Role role) {
        return Objects.requireNonNull(columns.get(role));
    }

    /** The quoted name of a column, if one is mapped. */
    Optional<String> quoted(Role role) {
        return Optional.ofNullable(columns.get(role)).map(Column::quoted);
    }

    /**
     * A column to be compared with text. H2 compares the blanks, too, that it fills a column of fixed length with; all
     * others ignore them.
     */
    Optional<String> compared(Role role) {
        return quoted(role).map(column -> dialect == Dialect.H2 && isFilled(role) ? "RTRIM(" + column + ")" : column);
    }

    /** The text as it was before the database filled it with blanks. */
    @Nullable
    String withoutFilling(Role role, @Nullable String text) {
        return text != null && isFilled(role) ? text.replaceFirst(" +$", "") : text;
    }

    private boolean isFilled(Role role) {
        Column column = columns.get(role);
        return column != null && isFilled(column);
    }

    private boolean isFilled(Column column) {
        return dialect != Dialect.SQLITE && (column.type() == Types.CHAR || column.type() == Types.NCHAR);
    }

    boolean has(Role role) {
        return columns.containsKey(role);
    }

    /** Whether the time that was written is all that tells one lease of a row from the next. */
    boolean isMarkedByTime() {
        return !has(Role.NONCE) && !has(Role.FENCE);
    }

    /**
     * Which row a key means; empty if there cannot be one.
     *
     * @throws StoreException if the key does not begin with the prefix of the mapping
     */
    Optional<Object> row(Key leased) {
        String prefix = mapping.keyPrefix();
        if (!leased.value().startsWith(prefix)) {
            throw new StoreException("Rows of " + mapping.tableName() + " are leased by keys that begin with \""
                    + prefix + "\", which this one does not: " + leased + ".");
        }
        return key.parameter(leased.value().substring(prefix.length()));
    }

    /** The parameters that every statement on a row has. */
    Parameters parameters(Lane lane, Object row) {
        Parameters parameters = lane.parameters();
        if (row instanceof Long number) {
            parameters.number("row", number);
        } else {
            parameters.text("row", row);
        }
        List<String> values = mapping.finishedValues();
        List<String> names = RowStatements.finishedNames(values.size());
        for (int i = 0; i < values.size(); i++) {
            parameters.text(names.get(i), values.get(i));
        }
        return parameters;
    }

    /** What is written to lock a row for so long: the end, never too early, or the beginning, never too late. */
    long stamp(long clock, long ttlMicros) {
        return mapping.fixedTtlMicros().isPresent() ? time.floor(clock) : time.ceil(clock + ttlMicros);
    }

    /** The owner as it fits into its column. */
    String ownerText(Owner owner) {
        String label = owner.label();
        int longest = Optional.ofNullable(columns.get(Role.OWNER))
                .map(RowTable::longest)
                .orElse(Integer.MAX_VALUE);
        if (label.length() > longest) {
            boolean isSplit = Character.isHighSurrogate(label.charAt(longest - 1));
            label = label.substring(0, isSplit ? longest - 1 : longest);
        }
        return Objects.requireNonNull(withoutFilling(Role.OWNER, label));
    }

    private static int longest(Column column) {
        return column.precision() > 0 ? column.precision() : Integer.MAX_VALUE;
    }

    private KeyColumn keyColumn(Column column) {
        if (dialect == Dialect.H2 && isFilled(column)) {
            throw unfit(column, Role.KEY, "text of variable length");
        }
        KeyColumn.Kind kind;
        if (isText(column)) {
            kind = KeyColumn.Kind.TEXT;
        } else if (isWholeNumber(column)) {
            kind = KeyColumn.Kind.NUMBER;
        } else if (column.typeName().equals("uuid")) {
            kind = KeyColumn.Kind.UUID;
        } else {
            throw unfit(column, Role.KEY, "text, a whole number or a UUID");
        }
        return new KeyColumn(column.quoted(), kind, dialect, longest(column));
    }

    private TimeColumn timeColumn(Column column) {
        long tick = tick(column);
        boolean isZoned = column.type() == Types.TIMESTAMP_WITH_TIMEZONE
                || column.typeName().equals("timestamptz")
                || (dialect == Dialect.MYSQL && column.typeName().equals("timestamp"));
        if (isLongNumber(column)) {
            return TimeColumn.ofNumbers(column.quoted(), dialect);
        } else if (isZoned) {
            return TimeColumn.ofInstants(column.quoted(), dialect, tick);
        } else if (column.type() == Types.TIMESTAMP || isTextOfTime(column)) {
            return TimeColumn.ofTimestamps(column.quoted(), dialect, tick, mapping.isInUtc());
        }
        throw unfit(column, Role.EXPIRY, "a timestamp, or a 64-bit number of microseconds");
    }

    private boolean isTextOfTime(Column column) {
        return dialect == Dialect.SQLITE && !isWholeNumber(column);
    }

    private static long tick(Column column) {
        long tick = 1;
        for (int digits = Math.min(6, Math.max(0, column.scale())); digits < 6; digits++) {
            tick *= 10;
        }
        return tick;
    }

    /** Where acquire makes the rows. Others are the user's, and a key that two of them have is refused when asked for. */
    private void checkUnique(Connection connection, String tableName) throws SQLException {
        String column = column(Role.KEY).name();
        if (mapping.makesRows() && !RowUniqueKey.isIn(connection, dialect, tableName, column)) {
            throw RowUniqueKey.missing(mapping.tableName(), column.toLowerCase(Locale.ROOT));
        }
    }

    /**
     * Whether the time of a row depends on the zone of the session. In any other session MySQL must be in UTC: it writes
     * instants by way of local times, of which those of an hour each autumn mean two moments.
     */
    boolean needsLocalTime() {
        return isLocal(column(columns.containsKey(Role.EXPIRY) ? Role.EXPIRY : Role.SINCE));
    }

    private boolean isLocal(Column column) {
        return dialect == Dialect.MYSQL
                && !mapping.isInUtc()
                && !isLongNumber(column)
                && !column.typeName().equals("timestamp");
    }

    private void checkTypes() {
        Column heartbeat = columns.get(Role.HEARTBEAT);
        if (heartbeat != null && isLocal(heartbeat) && !needsLocalTime()) {
            throw new StoreException("The column " + heartbeat + " of " + mapping.tableName() + ", mapped as heartbeat,"
                    + " has no time zone, but the time that the row is locked by has one. Give both the same type, or"
                    + " say timesInUtc() if the heartbeat is in UTC.");
        }
        Column owner = columns.get(Role.OWNER);
        if (owner != null && !isText(owner)) {
            throw unfit(owner, Role.OWNER, "text");
        }
        Column fence = columns.get(Role.FENCE);
        if (fence != null && !isLongNumber(fence)) {
            throw unfit(fence, Role.FENCE, "a 64-bit whole number");
        }
        Column nonce = columns.get(Role.NONCE);
        if (nonce != null && (!isText(nonce) || longest(nonce) < NONCE_LENGTH)) {
            throw unfit(nonce, Role.NONCE, "text of " + NONCE_LENGTH + " characters or more");
        }
        if (!mapping.makesRows()) {
            checkNulls(Role.EXPIRY);
            checkNulls(Role.SINCE);
            checkNulls(Role.OWNER);
            checkNulls(Role.NONCE);
        }
    }

    private void checkNulls(Role role) {
        Column column = columns.get(role);
        if (column != null && column.nulls() == ResultSetMetaData.columnNoNulls) {
            throw new StoreException("The column " + column + " of " + mapping.tableName() + ", mapped as " + role
                    + ", must allow NULL, because that is what a release leaves there.");
        }
    }

    private StoreException unfit(Column column, Role role, String needed) {
        return new StoreException("The column " + column + " of " + mapping.tableName() + ", mapped as " + role
                + ", is of type " + column.typeName() + "; " + needed + " is needed.");
    }

    private boolean isText(Column column) {
        return switch (column.type()) {
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.NCHAR, Types.NVARCHAR, Types.CLOB -> true;
            default -> dialect == Dialect.SQLITE && !isWholeNumber(column);
        };
    }

    private static boolean isWholeNumber(Column column) {
        return switch (column.type()) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> true;
            default -> false;
        };
    }

    /** SQLite's whole numbers have 64 bits, whatever they are called. */
    private boolean isLongNumber(Column column) {
        return column.type() == Types.BIGINT || (dialect == Dialect.SQLITE && isWholeNumber(column));
    }

    /** A column of any type as text. */
    static String text(String column, Dialect dialect) {
        return "CAST(" + column + " AS "
                + switch (dialect) {
                    case POSTGRESQL, SQLITE -> "text)";
                    case MYSQL -> "char)";
                    case H2 -> "varchar)";
                };
    }
}
