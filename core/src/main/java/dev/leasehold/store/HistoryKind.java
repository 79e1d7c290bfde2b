package dev.leasehold.store;

/**
 * What kind of thing an entry of the {@link History} is about, by its name.
 *
 * <p>This is no enum on purpose: a kind that a later version writes passes through an earlier one unharmed.
 */
public record HistoryKind(String name) {
    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_BYTES = 32;

    /** A lease was granted. */
    public static final HistoryKind ACQUIRED = new HistoryKind("acquired");

    /** A lease was given back by its holder; the reason says so if the store could not be told. */
    public static final HistoryKind RELEASED = new HistoryKind("released");

    /** A holder lost its lease; the reason says why. */
    public static final HistoryKind LOST = new HistoryKind("lost");

    /** Somebody wanted a lease and did not get it; the reason says who had it, or what else was in the way. */
    public static final HistoryKind SKIPPED = new HistoryKind("skipped");

    /** An operator took a lease away from its holder; the reason is the operator's. */
    public static final HistoryKind FORCED = new HistoryKind("forced");

    /** The forced release just before, of the same key and fence, changed nothing. */
    public static final HistoryKind IN_VAIN = new HistoryKind("in-vain");

    /** A run ended with its answer; the reason says as what, if that is known. */
    public static final HistoryKind SETTLED = new HistoryKind("settled");

    /** Entries of one client are missing here, of this key and perhaps others; the reason says how many. */
    public static final HistoryKind DROPPED = new HistoryKind("dropped");

    public HistoryKind {
        Text.check("A kind of history", name, MAX_BYTES);
    }

    @Override
    public String toString() {
        return name;
    }
}
