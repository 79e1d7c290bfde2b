package dev.leasehold.tck.interleaving;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Place;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A record before the verb and the rival touch it. */
public enum Before {
    MISSING,
    FREE,
    /** Free, and the last release was ours. */
    FREE_SPENT,
    /** Free, with attempts, a fingerprint and a checkpoint. */
    FREE_KEPT,
    COOLING,
    LIVE_OURS,
    LIVE_OURS_WAITED,
    LIVE_OTHER,
    LIVE_OTHER_WAITED,
    /** We stand in line. */
    LIVE_OTHER_WE_WAIT,
    EXPIRED_OURS,
    EXPIRED_OURS_WAITED,
    EXPIRED_OTHER,
    EXPIRED_OTHER_WE_WAIT,
    /** The store's clock was set back since. */
    FUTURE_OTHER,
    SETTLED,
    /** Settled, and the retention is over. */
    SETTLED_OVER,
    ON_HOLD;

    static final String PRINT = "print";
    static final Payload ANSWER = Payload.of("answer");
    private static final long SECOND = 1_000_000;

    boolean isOurs() {
        return switch (this) {
            case LIVE_OURS, LIVE_OURS_WAITED, EXPIRED_OURS, EXPIRED_OURS_WAITED, SETTLED, SETTLED_OVER, ON_HOLD -> true;
            default -> false;
        };
    }

    boolean isHeld() {
        return name().startsWith("LIVE") || name().startsWith("EXPIRED") || this == FUTURE_OTHER;
    }

    /** The record at this moment. */
    @Nullable
    LeaseRecord record(Cast cast, long now) {
        long live = now + Cast.TTL.toNanos() / 1_000;
        long over = now - cast.age() / 2;
        long cooldown = Cast.COOLDOWN.toNanos() / 1_000;
        Progress first = new Progress(1, true, null, null, null);
        Progress kept = new Progress(2, true, PRINT, null, Payload.of("checkpoint"));
        Progress handed = new Progress(2, false, PRINT, null, Payload.of("checkpoint"));
        Progress answered = new Progress(1, true, PRINT, null, ANSWER);
        return switch (this) {
            case MISSING -> null;
            case FREE -> free(cast, cast.waiter(), over, 0, Progress.NONE);
            case FREE_SPENT -> free(cast, cast.us(), over, 0, Progress.NONE);
            case FREE_KEPT -> free(cast, cast.other(), over, 0, kept);
            case COOLING -> free(cast, cast.other(), now + cooldown, cooldown, Progress.NONE);
            case LIVE_OURS -> had(cast, State.HELD, cast.us(), live, first, now);
            case LIVE_OURS_WAITED -> had(cast, State.HELD, cast.us(), live, handed, now, cast.waiter());
            case LIVE_OTHER -> had(cast, State.HELD, cast.other(), live, first, now);
            case LIVE_OTHER_WAITED -> had(cast, State.HELD, cast.other(), live, kept, now, cast.waiter());
            case LIVE_OTHER_WE_WAIT -> had(cast, State.HELD, cast.other(), live, first, now, cast.us());
            case EXPIRED_OURS -> had(cast, State.HELD, cast.us(), over, first, now);
            case EXPIRED_OURS_WAITED -> had(cast, State.HELD, cast.us(), over, first, now, cast.waiter());
            case EXPIRED_OTHER -> had(cast, State.HELD, cast.other(), over, kept, now);
            case EXPIRED_OTHER_WE_WAIT -> had(cast, State.HELD, cast.other(), over, handed, now, cast.us());
            case FUTURE_OTHER -> had(cast, State.HELD, cast.other(), live + 3600 * SECOND, first, now);
            case SETTLED -> had(cast, State.DONE, cast.us(), live, answered, now);
            case SETTLED_OVER -> had(cast, State.DONE, cast.us(), over, answered, now);
            case ON_HOLD -> had(cast, State.HOLD, cast.us(), live, answered, now);
        };
    }

    /** A lease of ours on another key. */
    static LeaseRecord neighbour(Key key, Cast cast, long now) {
        Cast there = new Cast(
                key,
                cast.us(),
                cast.other(),
                cast.waiter(),
                cast.rival(),
                cast.fresh(),
                cast.fence(),
                true,
                cast.age());
        long live = now + Cast.TTL.toNanos() / 1_000;
        return had(there, State.HELD, cast.us(), live, new Progress(1, true, null, null, null), now);
    }

    private static LeaseRecord free(Cast cast, Nonce tombstone, long expiry, long cooldown, Progress progress) {
        return new LeaseRecord(
                cast.key(), cast.fence(), State.FREE, null, tombstone, expiry, cooldown, progress, List.of());
    }

    private static LeaseRecord had(
            Cast cast, State state, Nonce nonce, long expiry, Progress progress, long now, Nonce... waiting) {
        List<Place> line =
                List.of(waiting).stream().map(waiter -> cast.place(waiter, now)).toList();
        Tenure tenure = new Tenure(nonce, cast.owner(nonce), Cast.TTL.toNanos() / 1_000, now - cast.age());
        return new LeaseRecord(cast.key(), cast.fence(), state, tenure, null, expiry, 0, progress, line);
    }
}
