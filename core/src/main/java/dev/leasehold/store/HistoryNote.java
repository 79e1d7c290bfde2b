package dev.leasehold.store;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something to be written into the {@link History}. Reason and actor are for people: control characters in them become
 * blanks, and what is too long is cut.
 *
 * @param owner who held the lease, or wanted it
 * @param fence of the lease, or {@code null} if it is not about one
 * @param reason why, in words; may be empty
 * @param actor who did it, if that is not the owner; may be empty
 * @param ago how long ago it happened when it is appended
 */
public record HistoryNote(
        Key key,
        HistoryKind kind,
        @Nullable Owner owner,
        @Nullable Fence fence,
        String reason,
        String actor,
        Duration ago) {
    /** The longest reason, in bytes of UTF-8. */
    public static final int MAX_REASON_BYTES = 1_000;

    /** The longest actor, in bytes of UTF-8. */
    public static final int MAX_ACTOR_BYTES = 255;

    public HistoryNote {
        reason = Text.tidy(reason, MAX_REASON_BYTES);
        actor = Text.tidy(actor, MAX_ACTOR_BYTES);
        ago = ago.isNegative() ? Duration.ZERO : ago;
    }

    /** A note on something that happens now, and of which nothing more is known. */
    public static HistoryNote of(Key key, HistoryKind kind) {
        return new HistoryNote(key, kind, null, null, "", "", Duration.ZERO);
    }

    public HistoryNote withLease(@Nullable Owner holder, @Nullable Fence number) {
        return new HistoryNote(key, kind, holder, number, reason, actor, ago);
    }

    public HistoryNote withReason(String words) {
        return new HistoryNote(key, kind, owner, fence, words, actor, ago);
    }

    public HistoryNote withActor(String who) {
        return new HistoryNote(key, kind, owner, fence, reason, who, ago);
    }

    public HistoryNote withAgo(Duration time) {
        return new HistoryNote(key, kind, owner, fence, reason, actor, time);
    }

    /** The entry that this becomes when it is appended at this moment of the store's clock. */
    public HistoryEntry entry(long number, long nowMicros) {
        return new HistoryEntry(number, nowMicros - Micros.of(ago), key, kind, owner, fence, reason, actor);
    }
}
