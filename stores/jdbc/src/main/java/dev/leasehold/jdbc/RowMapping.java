package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

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
        FINISHED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final List<String> table;
    private final Map<Role, String> columns;
    private final String keyPrefix;
    private final Duration fixedTtl;
    private final List<String> finishedValues;
    private final boolean isInUtc;
    private final boolean makesRows;

    private RowMapping(
            List<String> table,
            Map<Role, String> columns,
            String keyPrefix,
            Duration fixedTtl,
            List<String> finishedValues,
            boolean isInUtc,
            boolean makesRows) {
        this.table = table;
        this.columns = columns;
        this.keyPrefix = keyPrefix;
        this.fixedTtl = fixedTtl;
        this.finishedValues = finishedValues;
        this.isInUtc = isInUtc;
        this.makesRows = makesRows;
    }

    /** Rows of this table, which may have its schema in front: {@code app.analyses}. */
    public static RowMapping of(String table) {
        List<String> parts = List.of(table.split("\\.", -1));
        if (parts.size() > 2) {
            throw new IllegalArgumentException(
                    "A table is named \"table\" or \"schema.table\", not \"" + table + "\".");
        }
        parts.forEach(part -> checkName("table", part));
        return new RowMapping(parts, Map.of(), "", Duration.ZERO, List.of(), false, false);
    }

    /**
     * The table {@code worker_lock(lock_key, expires_at)} of scripts that take a lock by inserting a row and give it
     * back by deleting it. Leases and such scripts exclude each other. Here, and only here, acquire makes the row, after
     * deleting up to twenty that have expired and that no transaction has locked, and release deletes it. The key must
     * be the primary key, or have a unique index of its own: nothing else keeps two callers apart.
     *
     * <p>The table has no owner, so a release can only compare the expiry that was written. A script that deletes by
     * the key alone still deletes whatever lock is there.
     */
    public static RowMapping workerLock() {
        RowMapping rows = of("worker_lock").key("lock_key").expiry("expires_at");
        return new RowMapping(
                rows.table, rows.columns, rows.keyPrefix, rows.fixedTtl, rows.finishedValues, rows.isInUtc, true);
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
        return new RowMapping(table, columns, prefix, fixedTtl, finishedValues, isInUtc, makesRows);
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
        RowMapping changed = without(Role.EXPIRY).with(Role.SINCE, column);
        return new RowMapping(table, changed.columns, keyPrefix, ttl, finishedValues, isInUtc, makesRows);
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

    /** A row is finished, and never acquired, once this column has a value. */
    public RowMapping finishedWhenNotNull(String column) {
        RowMapping changed = with(Role.FINISHED, column);
        return new RowMapping(table, changed.columns, keyPrefix, fixedTtl, List.of(), isInUtc, makesRows);
    }

    /** A row is finished, and never acquired, while this column, as text, has one of these values. */
    public RowMapping finishedWhen(String column, String value, String... more) {
        List<String> values = new ArrayList<>(List.of(more));
        values.add(0, value);
        RowMapping changed = with(Role.FINISHED, column);
        return new RowMapping(table, changed.columns, keyPrefix, fixedTtl, List.copyOf(values), isInUtc, makesRows);
    }

    /**
     * Timestamps without a time zone are in UTC. By default they are in the time zone of the database session, as
     * {@code NOW()} writes them: everybody who uses the table must then have the same one, and when the clocks are set
     * forward for the summer, leases that are live end an hour early. Columns that know their time zone, and numbers,
     * are not concerned.
     */
    public RowMapping timesInUtc() {
        return new RowMapping(table, columns, keyPrefix, fixedTtl, finishedValues, true, makesRows);
    }

    private RowMapping with(Role role, String column) {
        checkName("column", column);
        Map<Role, String> changed = new EnumMap<>(Role.class);
        changed.putAll(columns);
        changed.put(role, column);
        return withColumns(changed);
    }

    private RowMapping without(Role role) {
        Map<Role, String> changed = new EnumMap<>(Role.class);
        changed.putAll(columns);
        changed.remove(role);
        return withColumns(changed);
    }

    private RowMapping withColumns(Map<Role, String> changed) {
        return new RowMapping(
                table, Collections.unmodifiableMap(changed), keyPrefix, fixedTtl, finishedValues, isInUtc, makesRows);
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
            throw new IllegalArgumentException("Which column is the key of " + tableName() + "? Say key(column).");
        }
        if (!columns.containsKey(Role.EXPIRY) && !columns.containsKey(Role.SINCE)) {
            throw new IllegalArgumentException("Until when is a row of " + tableName()
                    + " locked? Say expiry(column), or since(column, ttl) if it holds when it was locked.");
        }
        Set<String> seen = new HashSet<>();
        for (String column : columns.values()) {
            if (!seen.add(column.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException("The column " + column + " cannot have two roles at once.");
            }
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

    /** Empty if any value means that the row is finished. */
    List<String> finishedValues() {
        return finishedValues;
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
