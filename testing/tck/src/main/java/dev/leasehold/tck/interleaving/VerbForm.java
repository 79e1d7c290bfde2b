package dev.leasehold.tck.interleaving;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A verb with its options: how it is asked of a store, and what the rules say of it. */
public enum VerbForm {
    ACQUIRE,
    ACQUIRE_WAITING,
    ACQUIRE_WITH_LOCK_DELAY,
    ACQUIRE_IGNORING_COOLDOWN,
    ACQUIRE_WITH_SAME_FINGERPRINT,
    ACQUIRE_WITH_OTHER_FINGERPRINT,
    /** With the nonce of the caller that holds the record, held it, or waits for it. */
    ACQUIRE_AGAIN,
    ACQUIRE_AGAIN_WAITING,
    ACQUIRE_UNMOVED,
    RENEW,
    RENEW_SEVERAL,
    RENEW_WITH_TTL,
    RELEASE,
    RELEASE_KEEPING_ATTEMPTS,
    RELEASE_FORGETTING,
    RELEASE_WITH_COOLDOWN,
    /** Release by the nonce alone. */
    WITHDRAW,
    SETTLE,
    CHECKPOINT,
    AMEND,
    FIND,
    PURGE;

    /** The number of our checkpoint, and of a newer one that the holder's rival session writes. */
    static final int OLDER_CHECKPOINT = 1;

    static final int NEWER_CHECKPOINT = 2;

    private static final long DAY = Duration.ofDays(1).toNanos() / 1_000;

    /** What the rules say: the answer, and the record afterwards. */
    record Result(Object answer, @Nullable LeaseRecord record) {}

    boolean isAcquire() {
        return name().startsWith("ACQUIRE");
    }

    boolean isRenewal() {
        return this == RENEW || this == RENEW_SEVERAL || this == RENEW_WITH_TTL;
    }

    boolean waits() {
        return this == ACQUIRE_WAITING || this == ACQUIRE_AGAIN_WAITING;
    }

    /** Whether a store may take another way for a key that it has seen before. */
    boolean hasMemory() {
        return isBatched() || waits() || this == WITHDRAW;
    }

    /** Whether such calls go together when the store is busy. */
    boolean isBatched() {
        return switch (this) {
            case ACQUIRE, ACQUIRE_AGAIN, ACQUIRE_WITH_SAME_FINGERPRINT, RELEASE -> true;
            default -> false;
        };
    }

    /** Records that a purge may drop are older than all others, so that it drops those of its own cell alone. */
    long ageMicros() {
        return this == PURGE ? 10 * DAY : 120_000_000;
    }

    static Duration retained(Cast cast) {
        return Duration.ofNanos(cast.age() / 4 * 1_000);
    }

    /** Asks the store. */
    Object ask(LeaseStore store, Cast cast) {
        return switch (this) {
            case RENEW -> renewed(store.renew(List.of(cast.lease())), cast);
            case RENEW_SEVERAL ->
                renewed(
                        store.renew(Stream.concat(Stream.of(cast.lease()), cast.neighbours().stream())
                                .toList()),
                        cast);
            case RENEW_WITH_TTL -> store.renew(cast.lease(), Cast.OTHER_TTL);
            case FIND -> store.find(cast.key()).map(found -> found.record());
            case PURGE -> store.purge(retained(cast), 1_000) > 0;
            case SETTLE, CHECKPOINT, AMEND -> store.settle(settlement(cast));
            default -> isAcquire() ? store.acquire(acquisition(cast)) : store.release(release(cast));
        };
    }

    /** The renewal of our lease; fails if a lease that no rival touches was not renewed. */
    private Optional<Renewal> renewed(List<Renewal> renewals, Cast cast) {
        List<LeaseRef> leases = renewals.stream().map(Renewal::lease).toList();
        if (this == RENEW_SEVERAL && !leases.containsAll(cast.neighbours())) {
            throw new IllegalStateException("A lease of ours that nobody touched was not renewed: " + leases);
        }
        return renewals.stream()
                .filter(renewal -> renewal.lease().equals(cast.lease()))
                .findFirst();
    }

    /** What the rules say to this record. */
    Result decide(@Nullable LeaseRecord record, Cast cast, long now) {
        return switch (this) {
            case RENEW, RENEW_SEVERAL -> result(LeaseRules.renew(record, cast.lease(), now));
            case RENEW_WITH_TTL -> result(LeaseRules.renew(record, cast.lease(), Cast.OTHER_TTL, now));
            case FIND -> new Result(Optional.ofNullable(record), record);
            case PURGE -> {
                boolean isDropped = record != null && LeaseRules.isPurgeable(record, retained(cast), now);
                yield new Result(isDropped, isDropped ? null : record);
            }
            case SETTLE, CHECKPOINT, AMEND -> result(LeaseRules.settle(record, settlement(cast), now));
            default ->
                isAcquire()
                        ? result(LeaseRules.acquire(record, acquisition(cast), now))
                        : result(LeaseRules.release(record, release(cast), now));
        };
    }

    /** What the rules say to a caller that was given no place in line, because the record was locked. */
    Result decideWithoutPlace(@Nullable LeaseRecord record, Cast cast, long now) {
        AcquireRequest request = acquisition(cast).inLineFor(Duration.ZERO);
        return result(LeaseRules.acquire(record, request, now));
    }

    private static Result result(LeaseRules.Change<? extends Object> change) {
        return new Result(change.result(), change.record());
    }

    private AcquireRequest acquisition(Cast cast) {
        boolean isAgain = this == ACQUIRE_AGAIN || this == ACQUIRE_AGAIN_WAITING;
        Nonce nonce = isAgain ? cast.us() : cast.fresh();
        AcquireRequest request = AcquireRequest.of(cast.key(), nonce, cast.owner(nonce), Cast.TTL);
        return switch (this) {
            case ACQUIRE_WAITING, ACQUIRE_AGAIN_WAITING -> request.inLineFor(Cast.PLACE_LIFE);
            case ACQUIRE_WITH_LOCK_DELAY -> request.withLockDelay(Cast.LOCK_DELAY);
            case ACQUIRE_IGNORING_COOLDOWN -> request.ignoringCooldown();
            case ACQUIRE_WITH_SAME_FINGERPRINT -> request.withFingerprint(Before.PRINT);
            case ACQUIRE_WITH_OTHER_FINGERPRINT -> request.withFingerprint("other " + Before.PRINT);
            case ACQUIRE_UNMOVED -> request.overruling(cast.fence());
            default -> request;
        };
    }

    private ReleaseRequest release(Cast cast) {
        ReleaseRequest request = ReleaseRequest.of(cast.lease());
        return switch (this) {
            case RELEASE_KEEPING_ATTEMPTS -> request.withEnding(Ending.KEEP_ATTEMPTS);
            case RELEASE_FORGETTING -> request.withEnding(Ending.FORGET);
            case RELEASE_WITH_COOLDOWN -> request.withCooldown(Cast.COOLDOWN);
            case WITHDRAW -> ReleaseRequest.withdrawing(cast.key(), cast.us());
            default -> request;
        };
    }

    private SettleRequest settlement(Cast cast) {
        return switch (this) {
            case CHECKPOINT ->
                SettleRequest.checkpoint(cast.lease(), Settlement.checkpoint(Payload.of("older")), OLDER_CHECKPOINT);
            case AMEND -> SettleRequest.amending(cast.lease(), Settlement.done(Payload.of("amended"), Cast.TTL));
            default -> SettleRequest.of(cast.lease(), Settlement.done(Before.ANSWER, Cast.TTL));
        };
    }

    /** What a store answers that cannot make the record. */
    static Result missing() {
        return new Result(new AcquireResult.Missing(), null);
    }
}
