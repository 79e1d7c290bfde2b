package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a table of the user's own hold a lease, so that the status of a row is checked and the row is locked
 * in one statement. Immutable; each method gives a changed copy.
 *
 * <p>Needed: the {@link #key}, and either the {@link #expiry} or {@link #since since when} it is locked. All other
 * columns are optional, and each is worth something: an {@link #owner} is shown to those who are refused, a
 * {@link #fence} grows for ever and can be checked by whatever the holder writes to, a {@link #nonce} lets a call be
 * asked again after its reply was lost. A row that has a time and nothing else is locked just as safely; see
 * {@link RowLeaseStore} for what it cannot do.
 *
 * <p>Names are those of the database, without quotes. They are looked up when the store is opened, first as written and
 * then in any case; a column that is not there is refused by name.
 */
public final class RowMapping {
    private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$ -]{0,127}");

    /** What a column is for. */
    enum Role {
        KEY,
        EXPIRY,
        SINCE,
        OWNER,
        FENCE,
        NONCE,
        HEARTBEAT,
        /** Tells that the row is done. */
        DONE,
        /** Tells that the row has failed; may be the same column as {@link #DONE}. */
        FAILED,
        REASON,
        CODE,
        ATTEMPTS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final List<String> table;
    private final Map<Role, String> columns;
    private final String keyPrefix;
    private final Duration fixedTtl;
    private final @Nullable String doneValue;
    private final @Nullable String failedValue;
    private final List<String> reads;
    private final List<String> writes;
    private final boolean isCamelCase;
    private final boolean isInUtc;
    private final boolean makesRows;

    private RowMapping(Draft draft) {
        this.table = draft.table;
        this.columns = Collections.unmodifiableMap(new EnumMap<>(draft.columns));
        this.keyPrefix = draft.keyPrefix;
        this.fixedTtl = draft.fixedTtl;
        this.doneValue = draft.doneValue;
        this.failedValue = draft.failedValue;
        this.reads = List.copyOf(draft.reads);
        this.writes = List.copyOf(draft.writes);
        this.isCamelCase = draft.isCamelCase;
        this.isInUtc = draft.isInUtc;
        this.makesRows = draft.makesRows;
    }

    /** Rows of this table, which may have its schema in front: {@code app.analyses}. */
    public static RowMapping of(String table) {
        List<String> parts = List.of(table.split("\\.", -1));
        if (parts.size() > 2) {
            throw new IllegalArgumentException(
                    "A table is named \"table\" or \"schema.table\", not \"" + table + "\".");
        }
        parts.forEach(part -> checkName("table", part));
        return new RowMapping(new Draft(parts));
    }

    /**
     * The table {@code worker_lock(lock_key, expires_at)} of scripts that take a lock by inserting a row and give it
     * back by deleting it. Leases and such scripts exclude each other. With this mapping, and with no other, acquire
     * inserts the row and release deletes it. Acquire first deletes the other rows that have expired and that no
     * transaction has locked, for at most a quarter of the call limit, by default 1.25 s. The key must be the primary key, or
     * have a unique index of its own: nothing else keeps two callers apart.
     *
     * <p>The table has no owner, so a release can only compare the expiry that was written. A script that deletes by
     * the key alone still deletes whatever lock is there.
     */
    public static RowMapping workerLock() {
        return of("worker_lock").key("lock_key").expiry("expires_at").with(draft -> draft.makesRows = true);
    }

    /** The column that tells the rows apart: text, a whole number or a UUID. Required. */
    public RowMapping key(String column) {
        return with(Role.KEY, column);
    }

    /**
     * What keys begin with: with {@code "analyses/"}, the row {@code 42} is leased as {@code analyses/42}. Other keys
     * are refused. By default the key is the text of its column and nothing else.
     */
    public RowMapping keyPrefix(String prefix) {
        return with(draft -> draft.keyPrefix = prefix);
    }

    /** The key of the row with this id: the prefix, and the id as the database writes it. */
    public Key keyOf(Object id) {
        return Key.of(keyPrefix + id);
    }

    /**
     * The column that holds until when a row is locked: a timestamp, or a 64-bit number of microseconds since 1970. No
     * value means that nobody has it.
     */
    public RowMapping expiry(String column) {
        return without(Role.SINCE).with(Role.EXPIRY, column);
    }

    /**
     * The column that holds when a row was locked, or renewed, for rows that do not say for how long. All who use the
     * table must agree on the TTL, so it is part of the mapping; callers that ask for a longer one are refused.
     */
    public RowMapping since(String column, Duration ttl) {
        if (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(AcquireRequest.MAX_TTL) > 0) {
            throw new IllegalArgumentException("The TTL of a row must be between a second and "
                    + AcquireRequest.MAX_TTL.toDays() + " days, not " + ttl + ".");
        }
        return without(Role.EXPIRY).with(Role.SINCE, column).with(draft -> draft.fixedTtl = ttl);
    }

    /**
     * The text column that holds the owner's label. A row without an owner is free, whatever its time says. A label
     * longer than the column is cut.
     */
    public RowMapping owner(String column) {
        return with(Role.OWNER, column);
    }

    /** The 64-bit column that holds the fence. It is kept when the row is released, and only grows. */
    public RowMapping fence(String column) {
        return with(Role.FENCE, column);
    }

    /** The text column, of 32 characters or more, that holds the nonce of the call that has the row. */
    public RowMapping nonce(String column) {
        return with(Role.NONCE, column);
    }

    /** The column, of the same kinds as {@link #expiry}, that is set to the present time by each grant and renewal. */
    public RowMapping heartbeat(String column) {
        return with(Role.HEARTBEAT, column);
    }

    /**
     * A row is done, and never acquired, while this column, as text, has this value. A run that succeeds sets it.
     */
    public RowMapping doneWhen(String column, String value) {
        return with(Role.DONE, column).with(draft -> draft.doneValue = value);
    }

    /** A row is done, and never acquired, once this column of a time has a value. A run that succeeds sets the present. */
    public RowMapping doneWhenNotNull(String column) {
        return with(Role.DONE, column).with(draft -> draft.doneValue = null);
    }

    /**
     * A row has failed for good, and is never acquired, while this column, as text, has this value. A run whose failure is
     * kept sets it.
     */
    public RowMapping failedWhen(String column, String value) {
        return with(Role.FAILED, column).with(draft -> draft.failedValue = value);
    }

    /** The text column that is given the message of a failure that is kept. A message longer than the column is cut. */
    public RowMapping reason(String column) {
        return with(Role.REASON, column);
    }

    /** The text column that is given the code of a failure that is kept. */
    public RowMapping code(String column) {
        return with(Role.CODE, column);
    }

    /**
     * The column of whole numbers that counts attempts since the row was last finished or released: each grant adds one, and a
     * settlement, or a release that is not for another try, sets 0. No value counts as none.
     */
    public RowMapping attempts(String column) {
        return with(Role.ATTEMPTS, column);
    }

    /** The columns that a run reads; by default all but those of the lease. */
    public RowMapping reads(String column, String... more) {
        return with(draft -> draft.reads = names(column, more));
    }

    /** The columns that a run may write with its result; by default none. */
    public RowMapping writes(String column, String... more) {
        return with(draft -> draft.writes = names(column, more));
    }

    private static List<String> names(String column, String... more) {
        List<String> names = new ArrayList<>(List.of(more));
        names.add(0, column);
        names.forEach(name -> checkName("column", name));
        return names;
    }

    /** Fields are called in camel case: the column {@code top_words} is the field {@code topWords}. */
    public RowMapping camelCase() {
        return with(draft -> draft.isCamelCase = true);
    }

    /**
     * Timestamps without a time zone are in UTC. By default they are in the time zone of the database session, as
     * {@code NOW()} writes them: everybody who uses the table must then have the same one, and when the clocks are set
     * forward for the summer, leases that are live end an hour early. Columns that know their time zone, and numbers,
     * are not concerned.
     */
    public RowMapping timesInUtc() {
        return with(draft -> draft.isInUtc = true);
    }

    private RowMapping with(Role role, String column) {
        checkName("column", column);
        return with(draft -> draft.columns.put(role, column));
    }

    private RowMapping without(Role role) {
        return with(draft -> draft.columns.remove(role));
    }

    private RowMapping with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new RowMapping(draft);
    }

    /** A mapping that is being changed. */
    private static final class Draft {
        private final List<String> table;
        private final Map<Role, String> columns = new EnumMap<>(Role.class);
        private String keyPrefix = "";
        private Duration fixedTtl = Duration.ZERO;
        private @Nullable String doneValue;
        private @Nullable String failedValue;
        private List<String> reads = List.of();
        private List<String> writes = List.of();
        private boolean isCamelCase;
        private boolean isInUtc;
        private boolean makesRows;

        Draft(List<String> table) {
            this.table = table;
        }

        Draft(RowMapping other) {
            table = other.table;
            columns.putAll(other.columns);
            keyPrefix = other.keyPrefix;
            fixedTtl = other.fixedTtl;
            doneValue = other.doneValue;
            failedValue = other.failedValue;
            reads = other.reads;
            writes = other.writes;
            isCamelCase = other.isCamelCase;
            isInUtc = other.isInUtc;
            makesRows = other.makesRows;
        }
    }

    private static void checkName(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("The name of a " + what
                    + " has letters, digits, blanks and _ $ - only, at most 128, and begins with a letter or _: \""
                    + name + "\".");
        }
    }

    /** Refuses a mapping that lacks what every row needs. */
    RowMapping complete() {
        if (!columns.containsKey(Role.KEY)) {
            throw new IllegalArgumentException(
                    "The mapping of " + tableName() + " has no key column. Add key(column).");
        }
        if (!columns.containsKey(Role.EXPIRY) && !columns.containsKey(Role.SINCE)) {
            throw new IllegalArgumentException("The mapping of " + tableName()
                    + " does not say how long a row is locked. Add expiry(column), or since(column, ttl) if the column holds"
                    + " when the row was locked.");
        }
        Set<String> seen = new HashSet<>();
        columns.forEach((role, column) -> {
            boolean isMarker = role == Role.FAILED && column.equalsIgnoreCase(columns.get(Role.DONE));
            if (!isMarker && !seen.add(column.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("The column " + column + " cannot have two roles at once.");
            }
        });
        for (String column : writes) {
            if (seen.contains(column.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(
                        "A run cannot write the column " + column + " of " + tableName()
                                + " with its result, because the mapping uses it for something else. Take it out of writes(...).");
            }
        }
        if (columns.containsKey(Role.FAILED) && !columns.containsKey(Role.DONE)) {
            throw new IllegalArgumentException(
                    "The mapping of " + tableName() + " has failedWhen but no doneWhen. Add doneWhen(column, value).");
        }
        return this;
    }

    List<String> table() {
        return table;
    }

    String tableName() {
        return String.join(".", table);
    }

    Map<Role, String> columns() {
        return columns;
    }

    String keyPrefix() {
        return keyPrefix;
    }

    /** Empty if each row says by itself when it expires. */
    Optional<Long> fixedTtlMicros() {
        return columns.containsKey(Role.SINCE) ? Optional.of(Micros.of(fixedTtl)) : Optional.empty();
    }

    /** Null if any value means that the row is done. */
    @Nullable
    String doneValue() {
        return doneValue;
    }

    @Nullable
    String failedValue() {
        return failedValue;
    }

    /** The text that marks a row as done or failed; null if a time does. */
    @Nullable
    String mark(State state) {
        return state == State.DONE ? doneValue : failedValue;
    }

    /** Empty for all columns but those of the lease. */
    List<String> reads() {
        return reads;
    }

    List<String> writes() {
        return writes;
    }

    /** The name of this column in a run's fields: as the mapping writes its name, if it does. */
    String fieldOf(String column) {
        if (!isCamelCase) {
            return Stream.of(writes, reads, columns.values())
                    .flatMap(Collection::stream)
                    .filter(column::equalsIgnoreCase)
                    .findFirst()
                    .orElse(column);
        }
        if (!column.contains("_") && !column.equals(column.toUpperCase(Locale.ROOT))) {
            return column.substring(0, 1).toLowerCase(Locale.ROOT) + column.substring(1);
        }
        String lower = column.toLowerCase(Locale.ROOT);
        StringBuilder field = new StringBuilder();
        for (String part : lower.split("_", -1)) {
            boolean isFirst = field.length() == 0;
            field.append(
                    isFirst || part.isEmpty()
                            ? part
                            : part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1));
        }
        return field.toString();
    }

    boolean isInUtc() {
        return isInUtc;
    }

    /** Whether acquire inserts rows and release deletes them. */
    boolean makesRows() {
        return makesRows;
    }

    @Override
    public String toString() {
        return tableName() + columns;
    }
}
