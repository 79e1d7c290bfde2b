package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Tenure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of the user's as a statement saw it.
 *
 * @param now the store's clock in UTC microseconds
 * @param clock what the clock of the row's time column showed
 * @param keyText the row's key as text, without the mapping's prefix
 * @param stamp the row's time; {@code null} if it has none
 */
record RowSight(
        long now,
        long clock,
        String keyText,
        boolean isFinished,
        @Nullable Long stamp,
        @Nullable String owner,
        @Nullable Long fence,
        @Nullable String nonce,
        RowContent content) {
    private static final long MINUTE = 60_000_000;

    /** A nonce with these first bits was made up from a row's time, so that an operator can name the lease. */
    private static final long MADE_UP = 0;

    /** No time is further away than this, so that sums of times are numbers still. */
    private static final long MOST = Long.MAX_VALUE / 4;

    private static final long FOREVER = Micros.of(Micros.FOREVER);

    /**
     * The lease on the row that a statement is at, without what a run reads.
     *
     * @throws StoreException if the row's time cannot be read, so that nobody knows whether it is free
     */
    static RowSight read(ResultSet row, RowTable table) throws SQLException {
        if (row.getInt("unreadable") == 1) {
            throw unreadable(table, row.getString("k"));
        }
        return new RowSight(
                row.getLong("now"),
                row.getLong("clock"),
                row.getString("k"),
                row.getInt("finished") == 1,
                number(row, "stamp"),
                table.has(Role.OWNER) ? table.withoutFilling(Role.OWNER, row.getString("seen_owner")) : null,
                table.has(Role.FENCE) ? number(row, "seen_fence") : null,
                table.has(Role.NONCE) ? table.withoutFilling(Role.NONCE, row.getString("seen_nonce")) : null,
                content(row, table));
    }

    /** The same with what a run reads, from a statement that asks for it. */
    static RowSight readRecord(ResultSet row, RowTable table) throws SQLException {
        RowSight lease = read(row, table);
        RowContent content = lease.content;
        return table.canRun()
                ? lease.with(new RowContent(
                        content.isFailed(), content.attempts(), table.fields().read(row)))
                : lease;
    }

    private static RowContent content(ResultSet row, RowTable table) throws SQLException {
        boolean isFailed = table.has(Role.FAILED) && row.getInt("failed") == 1;
        int attempts = table.has(Role.ATTEMPTS) ? row.getInt("seen_attempts") : 1;
        return new RowContent(isFailed, attempts, null);
    }

    private static StoreException unreadable(RowTable table, String key) {
        String expected = table.dialect == Dialect.SQLITE
                ? "text like 2026-01-31 18:05:17 in UTC, or with an offset like 2026-01-31T18:05:17+09:00"
                : "a valid date and time";
        return new StoreException("The column " + table.time.column() + " of " + table.mapping.tableName()
                + " holds something that cannot be read as a time, in the row with the key " + key + ". Expected: "
                + expected
                + ". The row cannot be leased until its time is corrected or set to NULL, or the row deleted.");
    }

    /** No row, just the clock. */
    static RowSight clock(ResultSet row) throws SQLException {
        return new RowSight(
                row.getLong("now"), row.getLong("clock"), "", false, null, null, null, null, RowContent.NONE);
    }

    private static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }

    RowSight with(RowContent other) {
        return new RowSight(now, clock, keyText, isFinished, stamp, owner, fence, nonce, other);
    }

    /** A holder has the row, or had it until it expired. */
    boolean isHeld(RowTable table) {
        return stamp != null && !(table.has(Role.OWNER) && (owner == null || owner.isEmpty()));
    }

    /** How long the row is locked still, by its own clock; negative if it has expired. */
    long remaining(RowTable table) {
        if (stamp == null) {
            return 0;
        }
        long remaining = bounded(stamp) + table.mapping.fixedTtlMicros().orElse(0L) - clock;
        return Math.max(-FOREVER, Math.min(FOREVER, remaining));
    }

    private static long bounded(long micros) {
        return Math.max(-MOST, Math.min(MOST, micros));
    }

    /** The moment that a row was left with by the lease that this nonce was made up for. */
    static @Nullable Long stampOf(Nonce nonce) {
        return nonce.high() == MADE_UP ? nonce.low() : null;
    }

    /** The row as a record. Whatever it does not say is made up, so that it harms nobody. */
    LeaseSnapshot snapshot(RowTable table, Key key) {
        boolean isHeld = isHeld(table);
        State state = isFinished ? (content.isFailed() ? State.FAILED : State.DONE) : isHeld ? State.HELD : State.FREE;
        long remaining = isFinished ? FOREVER : isHeld ? remaining(table) : 0;
        Fence seen = seenFence(table);
        Tenure tenure = null;
        if (state != State.FREE) {
            long ttl = table.mapping.fixedTtlMicros().orElse(Math.max(1, remaining));
            tenure = new Tenure(holder(), isHeld ? label() : null, ttl, since(table, seen));
        }
        Progress progress = table.has(Role.ATTEMPTS)
                ? new Progress(Math.max(0, content.attempts()), true, null, null, null)
                : Progress.NONE;
        LeaseRecord record = new LeaseRecord(key, seen, state, tenure, null, now + remaining, 0, progress, List.of());
        return new LeaseSnapshot(record, now, content.fields());
    }

    /** When the lease was granted, as far as the row tells. */
    private long since(RowTable table, Fence seen) {
        boolean isKnown = fence != null
                || (stamp != null && table.mapping.fixedTtlMicros().isPresent());
        return isKnown ? Math.min(now, seen.value()) : now;
    }

    private Nonce holder() {
        if (nonce != null) {
            try {
                return Nonce.parse(nonce);
            } catch (IllegalArgumentException e) {
                // Somebody else's mark.
                return new Nonce(MADE_UP, stamp == null ? 0 : stamp);
            }
        }
        return new Nonce(MADE_UP, stamp == null ? 0 : stamp);
    }

    @Nullable
    Owner label() {
        if (owner == null || owner.isEmpty()) {
            return null;
        }
        try {
            return Owner.of(owner);
        } catch (IllegalArgumentException e) {
            return null; // Written by somebody with other rules for what an owner is.
        }
    }

    /** The row's fence, or what comes closest: the last moment at which the lease is known to have been granted. */
    Fence seenFence(RowTable table) {
        long value = 1;
        if (fence != null) {
            value = fence;
        } else if (!table.has(Role.FENCE) && stamp != null) {
            long zone = Math.round((clock - now) / (double) MINUTE) * MINUTE;
            boolean isSince = table.mapping.fixedTtlMicros().isPresent();
            value = isSince ? bounded(stamp) - zone : Math.min(now, bounded(stamp) - zone);
        }
        return Fence.of(Math.max(1, Math.min(Fence.MAX_VALUE, value)));
    }
}
