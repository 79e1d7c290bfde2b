package dev.leasehold.tck.interleaving;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a rival does to the record in a transaction that is open when the verb begins. The rules say what it writes. */
public enum Meanwhile {
    /** Locks the record and changes nothing, as a fenced transaction of the user's does. */
    LOCK,
    /** Takes the record: missing, free or expired. */
    TAKE,
    /** An earlier request of our own call arrives late and is granted. */
    OUR_DUPLICATE,
    /** The holder releases; the first in line is handed the lease. */
    RELEASE,
    /** A person takes the lease away, or makes a run forget its answer. */
    FORCE,
    SETTLE,
    /** The holder keeps a newer checkpoint. */
    CHECKPOINT,
    RENEW,
    STAND_IN_LINE,
    /** The first in line refreshes its place. */
    KEEP_PLACE,
    /** The first in line gives up. */
    WITHDRAW,
    /** The record is purged. */
    PURGE,
    /** An operator deletes the record. */
    DELETE,
    /** A rival makes the record, and leaves it free. */
    MAKE;

    /** The record that the rival writes; the same one if it has nothing to do here. */
    @Nullable
    LeaseRecord apply(@Nullable LeaseRecord record, Cast cast, long now) {
        LeaseRef holder = record == null ? null : record.ref();
        return switch (this) {
            case LOCK -> record;
            case TAKE -> acquire(record, cast, cast.rival(), false, now);
            case OUR_DUPLICATE -> acquire(record, cast, cast.us(), false, now);
            case STAND_IN_LINE -> acquire(record, cast, cast.rival(), true, now);
            case KEEP_PLACE ->
                record == null || record.line().isEmpty()
                        ? record
                        : acquire(record, cast, record.line().get(0).nonce(), true, now);
            case RELEASE -> holder == null ? record : release(record, ReleaseRequest.of(holder), now);
            case FORCE ->
                holder == null
                        ? record
                        : release(record, ReleaseRequest.of(holder).withEnding(ReleaseRequest.Ending.FORGET), now);
            case WITHDRAW ->
                record == null || record.line().isEmpty()
                        ? record
                        : release(
                                record,
                                ReleaseRequest.withdrawing(
                                        cast.key(), record.line().get(0).nonce()),
                                now);
            case SETTLE -> holder == null ? record : settle(record, holder, now);
            case CHECKPOINT -> holder == null ? record : checkpoint(record, holder, now);
            case RENEW ->
                holder == null ? record : LeaseRules.renew(record, holder, now).record();
            case PURGE ->
                record != null && LeaseRules.isPurgeable(record, VerbForm.retained(cast), now) ? null : record;
            case DELETE -> null;
            case MAKE -> record != null ? record : made(cast, now);
        };
    }

    private static @Nullable LeaseRecord acquire(
            @Nullable LeaseRecord record, Cast cast, Nonce nonce, boolean isWaiting, long now) {
        AcquireRequest request = AcquireRequest.of(cast.key(), nonce, cast.owner(nonce), Cast.TTL);
        return LeaseRules.acquire(record, isWaiting ? request.inLineFor(Cast.PLACE_LIFE) : request, now)
                .record();
    }

    private static @Nullable LeaseRecord release(@Nullable LeaseRecord record, ReleaseRequest request, long now) {
        return LeaseRules.release(record, request, now).record();
    }

    private static @Nullable LeaseRecord settle(@Nullable LeaseRecord record, LeaseRef holder, long now) {
        Settlement settlement = Settlement.done(Before.ANSWER, Cast.TTL);
        return LeaseRules.settle(record, SettleRequest.of(holder, settlement), now)
                .record();
    }

    private static @Nullable LeaseRecord checkpoint(@Nullable LeaseRecord record, LeaseRef holder, long now) {
        Settlement checkpoint = Settlement.checkpoint(Payload.of("newer"));
        return LeaseRules.settle(record, SettleRequest.checkpoint(holder, checkpoint, VerbForm.NEWER_CHECKPOINT), now)
                .record();
    }

    private static @Nullable LeaseRecord made(Cast cast, long now) {
        LeaseRecord taken = acquire(null, cast, cast.rival(), false, now);
        LeaseRef holder = taken == null ? null : taken.ref();
        return holder == null ? null : release(taken, ReleaseRequest.of(holder), now);
    }

    /** Whether the rival finds something to do in this state. {@link #DELETE} and {@link #PURGE} write the same. */
    boolean isPossible(Before before, Cast cast, long now) {
        LeaseRecord record = before.record(cast, now);
        if (this == LOCK) {
            return record != null;
        }
        long later = now + 1;
        boolean isPurge = record != null && PURGE.apply(record, cast, later) == null;
        boolean isChanged = !Objects.equals(apply(record, cast, later), record);
        return isChanged && !(this == DELETE && isPurge) && !isTwin(before);
    }

    boolean isTriedWithRollback() {
        return switch (this) {
            case TAKE, RELEASE, KEEP_PLACE, WITHDRAW, PURGE, DELETE -> true;
            default -> false;
        };
    }

    /** Whether another change writes the same, or nearly: a take that stands in line is one of those. */
    private boolean isTwin(Before before) {
        return switch (this) {
            case STAND_IN_LINE -> !before.isHeld() || before.name().startsWith("EXPIRED");
            case KEEP_PLACE -> before.name().startsWith("EXPIRED");
            case FORCE -> before.isHeld() && !before.name().endsWith("WAITED");
            case OUR_DUPLICATE -> before == Before.FREE_SPENT;
            case CHECKPOINT -> !before.isOurs() || before.name().startsWith("EXPIRED");
            default -> false;
        };
    }
}
