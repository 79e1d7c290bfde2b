package dev.leasehold.store;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of the {@link History} are wanted.
 *
 * @param key the only key, or {@code null} for all that begin with the prefix
 * @param prefix what the keys begin with; empty for all
 * @param kinds the kinds wanted; empty for all
 * @param order which come first
 * @param last the number of the last entry of the page before, or 0 for the first page
 */
public record HistoryRequest(
        @Nullable Key key, String prefix, Set<HistoryKind> kinds, Order order, long last, int limit) {
    /** The longest page. */
    public static final int MAX_LIMIT = 1_000;

    /** The most kinds that can be asked for. */
    public static final int MAX_KINDS = 16;

    /** Which entries come first. */
    public enum Order {
        OLDEST_FIRST,
        NEWEST_FIRST
    }

    public HistoryRequest {
        if (!prefix.isEmpty()) {
            Text.check("A prefix", prefix, Key.MAX_BYTES);
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("A page has 1 to " + MAX_LIMIT + " entries, not " + limit + ".");
        }
        if (last < 0) {
            throw new IllegalArgumentException("The number of an entry is not negative: " + last + ".");
        }
        if (kinds.size() > MAX_KINDS) {
            throw new IllegalArgumentException("At most " + MAX_KINDS + " kinds, not " + kinds.size() + ".");
        }
        kinds = Set.copyOf(kinds);
    }

    /** The newest entries of this key, newest first. */
    public static HistoryRequest of(Key key) {
        return new HistoryRequest(key, "", Set.of(), Order.NEWEST_FIRST, 0, 100);
    }

    /** The newest entries of all keys that begin with the prefix, newest first. An empty prefix means all keys. */
    public static HistoryRequest of(String prefix) {
        return new HistoryRequest(null, prefix, Set.of(), Order.NEWEST_FIRST, 0, 100);
    }

    public HistoryRequest only(HistoryKind... wanted) {
        return new HistoryRequest(key, prefix, Set.of(wanted), order, last, limit);
    }

    /** Entries that came after this one, oldest first: how to follow. 0 begins with the oldest. */
    public HistoryRequest after(long number) {
        return new HistoryRequest(key, prefix, kinds, Order.OLDEST_FIRST, number, limit);
    }

    /** Entries that came before this one, newest first. 0 begins with the newest. */
    public HistoryRequest before(long number) {
        return new HistoryRequest(key, prefix, kinds, Order.NEWEST_FIRST, number, limit);
    }

    public HistoryRequest withLimit(int most) {
        return new HistoryRequest(key, prefix, kinds, order, last, most);
    }

    /** Whether the entry belongs on this page or a later one. */
    public boolean covers(HistoryEntry entry) {
        boolean isAhead = order == Order.OLDEST_FIRST ? entry.number() > last : last == 0 || entry.number() < last;
        return isAhead
                && (key == null ? entry.key().value().startsWith(prefix) : key.equals(entry.key()))
                && (kinds.isEmpty() || kinds.contains(entry.kind()));
    }
}
