package dev.leasehold.tck.sim;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Bugs in the way a store keeps runs that the simulator must find, each as somebody once shipped it. */
enum PlantedRunBug {
    UNCONDITIONAL_COMPLETE("S4 S7", UnconditionalComplete::new),
    UNCONDITIONAL_DELETE("S4 S7", UnconditionalDelete::new),
    MISMATCH_NOT_CHECKED_ON_REPLAY("S8", MismatchNotChecked::new),
    RETENTION_PURGES_LIVE_RUNS("S4 S7", RetentionPurgesLiveRuns::new);

    private final String brokenPromises;

    @SuppressWarnings("ImmutableEnumChecker") // Makes a new one each time.
    private final Function<LongSupplier, LeaseStore> broken;

    PlantedRunBug(String brokenPromises, Function<LongSupplier, LeaseStore> broken) {
        this.brokenPromises = brokenPromises;
        this.broken = broken;
    }

    /** Those of which one is broken first. */
    String brokenPromises() {
        return brokenPromises;
    }

    Sabotage plant() {
        return new Sabotage() {
            @Override
            public LeaseStore store(LeaseStore healthy, LongSupplier clock) {
                return broken.apply(clock);
            }
        };
    }

    /** Whoever finishes, finishes the run that is there. */
    private static final class UnconditionalComplete extends RulesStore {
        UnconditionalComplete(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<SettleResult> onSettle(LeaseRecord record, SettleRequest request, long now) {
            boolean isTheirs = record != null && record.ref() != null;
            return super.onSettle(
                    record, isTheirs ? SettleRequest.of(record.ref(), request.settlement()) : request, now);
        }
    }

    /** Whoever fails deletes the record that is there. */
    private static final class UnconditionalDelete extends RulesStore {
        UnconditionalDelete(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<ReleaseResult> onRelease(LeaseRecord record, ReleaseRequest request, long now) {
            boolean isTheirs = record != null && record.ref() != null && request.fence() != null;
            return super.onRelease(
                    record,
                    isTheirs ? ReleaseRequest.of(record.ref()).withEnding(ReleaseRequest.Ending.FORGET) : request,
                    now);
        }
    }

    private static final class MismatchNotChecked extends RulesStore {
        MismatchNotChecked(LongSupplier clock) {
            super(clock);
        }

        @Override
        Change<AcquireResult> onAcquire(LeaseRecord record, AcquireRequest request, long now) {
            boolean isReplay = record != null && record.state().isSettled() && !record.isOver(now);
            return super.onAcquire(record, isReplay ? request.withFingerprint(null) : request, now);
        }
    }

    /** Counts the time that an answer is kept from when its run began. */
    private static final class RetentionPurgesLiveRuns extends RulesStore {
        RetentionPurgesLiveRuns(LongSupplier clock) {
            super(clock);
        }

        @Override
        boolean isPurgeable(LeaseRecord record, Duration retained, long now) {
            boolean isOld = record.tenure() != null && record.tenure().sinceMicros() < now - 8_000_000;
            return isOld || super.isPurgeable(record, retained, now);
        }
    }
}
