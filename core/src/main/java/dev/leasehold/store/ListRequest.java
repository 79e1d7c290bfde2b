package dev.leasehold.store;

import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A page of records to be listed.
 *
 * @param prefix what the keys begin with; empty for all
 * @param states the states wanted; records that are expired count as what they were
 * @param after the last key of the page before, or {@code null} for the first page
 */
public record ListRequest(
        String prefix, Set<State> states, @Nullable Key after, int limit) {
    /** The longest page. */
    public static final int MAX_LIMIT = 1_000;

    public ListRequest {
        if (!prefix.isEmpty()) {
            Text.check("A prefix", prefix, Key.MAX_BYTES);
        }
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("A page has 1 to " + MAX_LIMIT + " records, not " + limit + ".");
        }
        states = Set.copyOf(states);
    }

    /** The first page of all records whose key begins with the prefix. */
    public static ListRequest of(String prefix) {
        return new ListRequest(prefix, EnumSet.allOf(State.class), null, 100);
    }

    public ListRequest only(State first, State... more) {
        return new ListRequest(prefix, EnumSet.of(first, more), after, limit);
    }

    public ListRequest after(@Nullable Key last) {
        return new ListRequest(prefix, states, last, limit);
    }

    public ListRequest withLimit(int most) {
        return new ListRequest(prefix, states, after, most);
    }

    /** Whether the key belongs on this page or a later one. */
    public boolean covers(Key key) {
        return key.value().startsWith(prefix) && (after == null || key.compareTo(after) > 0);
    }
}
