package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.RecordTraits.Ability;
import dev.leasehold.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
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

    /** Columns that are of no interest to a run. */
    private static final List<Role> LEASE =
            List.of(Role.EXPIRY, Role.SINCE, Role.OWNER, Role.FENCE, Role.NONCE, Role.HEARTBEAT);

    final RowMapping mapping;
    final Dialect dialect;
    final String name;
    final KeyColumn key;
    final TimeColumn time;
    final @Nullable TimeColumn heartbeat;
    /** Whether a statement on many rows can be told not to wait for those that are locked; not so on MySQL and H2. */
    final boolean canPassByMany;

    private final Map<Role, Column> columns;
    private final RowFields fields;
    private boolean isKeyUnique;

    /** PostgreSQL's names of its types of text. It describes an enum as text, too. */
    private static final Set<String> POSTGRES_TEXT = Set.of("text", "varchar", "bpchar", "char", "name");

    /**
     * A column as the database describes it.
     *
     * @param typeName in small letters
     * @param sqlType the type as PostgreSQL reads it in a statement
     */
    record Column(
            String name,
            String quoted,
            int type,
            String typeName,
            String sqlType,
            int precision,
            int scale,
            int nulls) {
        /** PostgreSQL's bits: a text of zeros and ones, and no number. Its booleans are bits to the driver, too. */
        boolean isBits() {
            return typeName.equals("bit") && precision > 1;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private RowTable(
            RowMapping mapping,
            Dialect dialect,
            String name,
            boolean canPassByMany,
            Map<Role, Column> columns,
            List<Column> there) {
        this.mapping = mapping;
        this.dialect = dialect;
        this.name = name;
        this.canPassByMany = canPassByMany;
        this.columns = columns;
        this.key = keyColumn(column(Role.KEY));
        this.time = timeColumn(columns.containsKey(Role.EXPIRY) ? Role.EXPIRY : Role.SINCE);
        this.heartbeat = columns.containsKey(Role.HEARTBEAT) ? timeColumn(Role.HEARTBEAT) : null;
        checkTypes();
        this.fields = new RowFields(this, canRun() ? read(there) : List.of(), written(there));
    }

    /** The columns that a run reads: those that the mapping names, or all but those of the lease. */
    private List<Column> read(List<Column> there) {
        Set<Column> read = new LinkedHashSet<>();
        if (mapping.reads().isEmpty()) {
            there.stream()
                    .filter(column -> LEASE.stream().noneMatch(role -> column.equals(columns.get(role))))
                    .forEach(read::add);
        } else {
            mapping.reads().forEach(name -> read.add(find(mapping, there, name, "read")));
        }
        for (Role role : List.of(Role.DONE, Role.FAILED, Role.REASON, Role.CODE)) {
            if (columns.containsKey(role)) {
                read.add(column(role));
            }
        }
        read.stream().filter(column -> column.name().contains(":")).findFirst().ifPresent(column -> {
            throw new StoreException("The column " + column + " of " + mapping.tableName()
                    + " has a name that a run cannot read. Name the columns to read with reads(...).");
        });
        return List.copyOf(read);
    }

    private List<Column> written(List<Column> there) {
        return mapping.writes().stream()
                .map(name -> find(mapping, there, name, "written"))
                .toList();
    }

    /** Returns whether the mapping says when a row is done, so that runs work on it. */
    boolean canRun() {
        return has(Role.DONE);
    }

    RowFields fields() {
        return fields;
    }

    /** The abilities of runs on these rows. */
    RecordTraits traits() {
        Set<Ability> abilities = EnumSet.noneOf(Ability.class);
        if (canRun()) {
            abilities.add(Ability.RUN);
        }
        if (has(Role.FAILED)) {
            abilities.add(Ability.FAIL);
        }
        if (has(Role.ATTEMPTS)) {
            abilities.add(Ability.ATTEMPTS);
        }
        return new RecordTraits(
                mapping.tableName(),
                mapping.keyPrefix(),
                mapping.fixedTtlMicros().map(Micros::toDuration).orElse(null),
                field(Role.REASON),
                field(Role.CODE),
                fields.writable(),
                abilities);
    }

    private @Nullable String field(Role role) {
        return has(role) ? field(column(role)) : null;
    }

    /**
     * The name of a column in a run's fields. H2 spells names in capitals that were made without quotes: those are
     * small letters.
     */
    String field(Column column) {
        boolean isFolded =
                dialect == Dialect.H2 && column.name().equals(column.name().toUpperCase(Locale.ROOT));
        return mapping.fieldOf(isFolded ? column.name().toLowerCase(Locale.ROOT) : column.name());
    }

    /** The value to write into the column of this role, from the fields of a failure. */
    @Nullable
    String reason(Fields failure, Role role) {
        String field = field(role);
        return field == null ? null : failure.text(field);
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
                RowTable table = new RowTable(
                        mapping, dialect, quoted, canPassByMany(connection, dialect), assign(mapping, there), there);
                table.checkUnique(connection, parts.get(parts.size() - 1));
                RowMarks.check(connection, table);
                table.isKeyUnique = dialect == Dialect.POSTGRESQL && table.isKeyUnique(connection, "");
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

    private static boolean canPassByMany(Connection connection, Dialect dialect) throws SQLException {
        return switch (dialect) {
            case POSTGRESQL, SQLITE -> true;
            case MYSQL ->
                connection
                        .getMetaData()
                        .getDatabaseProductName()
                        .toLowerCase(Locale.ROOT)
                        .contains("mariadb");
            case H2 -> false;
        };
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
                    sqlType(data.getColumnTypeName(i)),
                    data.getPrecision(i),
                    data.getScale(i),
                    data.isNullable(i)));
        }
        return columns;
    }

    /**
     * The driver gives the name of a type with quotes and schema if it needs its schema, and else as it is. It calls the
     * type of a column that counts by itself serial, which is no type.
     */
    private static String sqlType(String typeName) {
        return switch (typeName) {
            case "smallserial" -> "int2";
            case "serial" -> "int4";
            case "bigserial" -> "int8";
            default -> typeName.startsWith("\"") ? typeName : quote(typeName, Dialect.POSTGRESQL);
        };
    }

    private static Map<Role, Column> assign(RowMapping mapping, List<Column> there) {
        Map<Role, Column> assigned = new EnumMap<>(Role.class);
        mapping.columns().forEach((role, name) -> assigned.put(role, find(mapping, there, name, role.toString())));
        return assigned;
    }

    private static Column find(RowMapping mapping, List<Column> there, String name, String use) {
        return there.stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .or(() -> there.stream()
                        .filter(one -> one.name().equalsIgnoreCase(name))
                        .findFirst())
                .orElseThrow(() -> new StoreException("The table " + mapping.tableName() + " has no column " + name
                        + ", which is mapped as " + use + ". It has: "
                        + String.join(", ", there.stream().map(Column::name).toList()) + "."));
    }

    /** The quoted names of the columns that a lease or a run writes, apart from its time. */
    List<String> changed() {
        Set<String> changed = new LinkedHashSet<>();
        columns.forEach((role, column) -> {
            if (role != Role.KEY && role != Role.EXPIRY && role != Role.SINCE) {
                changed.add(column.quoted());
            }
        });
        changed.addAll(fields().changed());
        return List.copyOf(changed);
    }

    Column column(Role role) {
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

    /** A key without the mapping's prefix. */
    String text(Key leased) {
        return leased.value().substring(mapping.keyPrefix().length());
    }

    /** The parameters that every statement on a row has. */
    Parameters parameters(Lane lane, Object row) {
        Parameters parameters = lane.parameters();
        if (row instanceof Long number) {
            parameters.number("row", number);
        } else {
            parameters.text("row", row);
        }
        return marks(parameters);
    }

    /** The values that tell a finished row. */
    Parameters marks(Parameters parameters) {
        return parameters.text("done", mapping.doneValue()).text("failed", mapping.failedValue());
    }

    /** What is written to lock a row for so long: the end, never too early, or the beginning, never too late. */
    long stamp(long clock, long ttlMicros) {
        return mapping.fixedTtlMicros().isPresent() ? time.floor(clock) : time.ceil(clock + ttlMicros);
    }

    /** The owner as it fits into its column. */
    String ownerText(Owner owner) {
        return Objects.requireNonNull(fitted(Role.OWNER, owner.label()));
    }

    /** Text as it fits into the column of this role. */
    @Nullable
    String fitted(Role role, @Nullable String text) {
        Column column = columns.get(role);
        return withoutFilling(role, text == null || column == null ? text : cut(column, text));
    }

    /** The beginning of a text, as long as a column can be. */
    String cut(Column column, String text) {
        int longest = longest(column);
        if (text.length() <= longest) {
            return text;
        }
        boolean isSplit = Character.isHighSurrogate(text.charAt(longest - 1));
        return text.substring(0, isSplit ? longest - 1 : longest);
    }

    /** PostgreSQL takes text for a column of a type of the user's, such as an enum, only if it is told so. */
    String cast(Role role, String parameter) {
        Column column = column(role);
        return dialect == Dialect.POSTGRESQL && !isText(column)
                ? "CAST(" + parameter + " AS " + column.sqlType() + ")"
                : parameter;
    }

    /** The same for a column that a run writes, with a value of its type. H2 takes text for JSON only if it is told so. */
    String cast(Column column, String parameter) {
        if (dialect == Dialect.H2 && column.typeName().equals("json")) {
            return parameter + " FORMAT JSON";
        }
        return dialect == Dialect.POSTGRESQL && !isText(column) && !isNumberOrBytes(column)
                ? "CAST(" + parameter + " AS " + column.sqlType() + ")"
                : parameter;
    }

    private static boolean isNumberOrBytes(Column column) {
        if (column.isBits()) {
            return false;
        }
        return switch (column.type()) {
            case Types.SMALLINT,
                    Types.INTEGER,
                    Types.BIGINT,
                    Types.REAL,
                    Types.FLOAT,
                    Types.DOUBLE,
                    Types.DECIMAL,
                    Types.NUMERIC,
                    Types.BIT,
                    Types.BOOLEAN,
                    Types.BINARY -> true;
            default -> false;
        };
    }

    /** The way to read and write a column of a time that knows its time zone; empty for any other. */
    Optional<TimeColumn> instantColumn(Column column) {
        return dialect != Dialect.SQLITE && isZoned(column)
                ? Optional.of(TimeColumn.ofInstants(column.quoted(), dialect, tick(column)))
                : Optional.empty();
    }

    private boolean isZoned(Column column) {
        return column.type() == Types.TIMESTAMP_WITH_TIMEZONE
                || column.typeName().equals("timestamptz")
                || (dialect == Dialect.MYSQL && column.typeName().equals("timestamp"));
    }

    /** The column of a time that says that a row is done; empty if a value says so. */
    Optional<TimeColumn> doneTime() {
        return has(Role.DONE) && mapping.doneValue() == null ? Optional.of(timeColumn(Role.DONE)) : Optional.empty();
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
        return new KeyColumn(column.quoted(), kind, dialect, column.sqlType(), longest(column));
    }

    private TimeColumn timeColumn(Role role) {
        Column column = column(role);
        long tick = tick(column);
        if (isLongNumber(column)) {
            return TimeColumn.ofNumbers(column.quoted(), dialect);
        } else if (isZoned(column)) {
            return TimeColumn.ofInstants(column.quoted(), dialect, tick);
        } else if (column.type() == Types.TIMESTAMP || isTextOfTime(column)) {
            return TimeColumn.ofTimestamps(column.quoted(), dialect, tick, mapping.isInUtc());
        }
        throw unfit(column, role, "a timestamp, or a 64-bit number of microseconds");
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

    private boolean isKeyUnique(Connection connection, String tableName) throws SQLException {
        String table = dialect == Dialect.POSTGRESQL ? name : tableName;
        return RowUniqueKey.isIn(connection, dialect, table, column(Role.KEY).name());
    }

    /** Where acquire makes the rows. Others are the user's, and a key that two of them have is refused when asked for. */
    private void checkUnique(Connection connection, String tableName) throws SQLException {
        if (mapping.makesRows() && !isKeyUnique(connection, tableName)) {
            throw RowUniqueKey.missing(
                    mapping.tableName(), column(Role.KEY).name().toLowerCase(Locale.ROOT));
        }
    }

    /** Whether no two rows can have one key, as far as the database says so: only PostgreSQL is asked. */
    boolean isKeyUnique() {
        return isKeyUnique;
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
        checkZone(Role.HEARTBEAT);
        if (doneTime().isPresent()) {
            checkZone(Role.DONE);
        }
        Column owner = columns.get(Role.OWNER);
        if (owner != null && !isText(owner)) {
            throw unfit(owner, Role.OWNER, "text");
        }
        Column fence = columns.get(Role.FENCE);
        if (fence != null && !isLongNumber(fence)) {
            throw unfit(fence, Role.FENCE, "a 64-bit whole number");
        }
        for (Role role : List.of(Role.REASON, Role.CODE)) {
            Column column = columns.get(role);
            if (column != null && !isText(column)) {
                throw unfit(column, role, "text");
            }
        }
        Column attempts = columns.get(Role.ATTEMPTS);
        if (attempts != null && !isWholeNumber(attempts)) {
            throw unfit(attempts, Role.ATTEMPTS, "a whole number");
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

    /** A session has one zone: see {@link #needsLocalTime}. */
    private void checkZone(Role role) {
        Column column = columns.get(role);
        if (column != null && isLocal(column) && !needsLocalTime()) {
            throw new StoreException("The column " + column + " of " + mapping.tableName() + ", mapped as " + role
                    + ", has no time zone, but the time that the row is locked by has one. Give both the same type, or"
                    + " say timesInUtc() if the " + role + " time is in UTC.");
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

    boolean isText(Column column) {
        return switch (column.type()) {
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.NCHAR, Types.NVARCHAR, Types.CLOB ->
                dialect != Dialect.POSTGRESQL || POSTGRES_TEXT.contains(column.typeName());
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
