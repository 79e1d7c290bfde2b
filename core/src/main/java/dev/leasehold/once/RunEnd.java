package dev.leasehold.once;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.store.StoreUnavailableException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt ends: its value is recorded, or its error judged. Whatever the record becomes, it becomes by a request
 * that the store refuses if somebody took over.
 */
final class RunEnd<R> {
    private final Run<R> run;
    private final Lease lease;
    private final RunSpec<R> spec;
    private final Answers<R> answers;
    private final LeaseStore store;
    private final Steps steps;

    RunEnd(Run<R> run, RunSpec<R> spec, Answers<R> answers, LeaseStore store, Steps steps) {
        this.run = run;
        this.lease = run.lease();
        this.spec = spec;
        this.answers = answers;
        this.store = store;
        this.steps = steps;
    }

    /** What the caller gets: an outcome, or an error that is to be thrown as it is. */
    record Ended<R>(@Nullable Outcome<R> outcome, @Nullable Throwable error) {
        static <R> Ended<R> none() {
            return new Ended<>(null, null);
        }

        static <R> Ended<R> with(Outcome<R> outcome) {
            return new Ended<>(outcome, null);
        }

        static <R> Ended<R> by(Throwable error) {
            return new Ended<>(null, error);
        }
    }

    /** The work returned this value. The future never fails: if the run cannot be ended, its result tells the error. */
    CompletableFuture<Ended<R>> returned(@Nullable R value) {
        return Steps.surely(lease, () -> record(value), Ended::by);
    }

    private CompletableFuture<Ended<R>> record(@Nullable R value) {
        Run.Recording<R> recording = run.recording();
        if (recording != null && run.isRecorded()) {
            return completed(ran(answers.readBack(store, recording.value())));
        }
        if (recording == null) {
            try {
                recording = run.startRecording(value);
            } catch (Throwable e) {
                return failed(e); // The codec's errors are judged like the work's.
            }
        }
        R kept = recording.value();
        return steps.settle(lease, recording.settlement()).thenCompose(settled -> {
            SettleResult result = settled.result();
            if (settled.trouble() instanceof StoreRefusedException refused) {
                // Judged like an error of the codec: it was certainly not recorded, and never will be.
                return failed(new ResultException(
                        lease.key(), "The result cannot be kept (" + ErrorText.messageOf(refused) + ")", refused));
            }
            return completed(
                    result != null && result.isSettled()
                            ? ran(answers.recorded(result, kept))
                            : unrecorded(kept, settled));
        });
    }

    private Outcome<R> ran(@Nullable R value) {
        return new Outcome.Ran<>(value, lease.fence(), lease.attempt());
    }

    private Outcome<R> unrecorded(@Nullable R value, Steps.Settled settled) {
        boolean isLeaseLost = settled.trouble() == null; // Without an answer, the record may have the value.
        leaveToTtl();
        return new Outcome.Unrecorded<>(value, lease.fence(), isLeaseLost, answers.isUsersRecord());
    }

    /** Nobody must think that the run goes on; that it has no answer, the next caller will see. */
    private void leaveToTtl() {
        lease.abandon("its run ended without a record of it");
    }

    /** The work threw this. The future never fails: if the run cannot be ended, its result tells the error. */
    CompletableFuture<Ended<R>> failed(Throwable error) {
        WorkNote.putOn(error, lease.key());
        return Steps.surely(lease, () -> end(error), trouble -> {
            boolean isWorse = trouble instanceof Error && !(error instanceof Error);
            ErrorText.suppress(isWorse ? trouble : error, isWorse ? error : trouble);
            return Ended.by(isWorse ? trouble : error);
        });
    }

    private CompletableFuture<Ended<R>> end(Throwable error) {
        Run.Recording<R> recording = run.recording();
        if (recording != null) {
            if (run.isRecorded()) {
                return CompletableFuture.completedFuture(Ended.by(error));
            }
            if (isInRecord(error)) {
                lease.settledElsewhere();
                return completed(ran(answers.readBack(store, recording.value())));
            }
        }
        if (error instanceof LeaseLostException lost && lost.key().equals(lease.key())) {
            // It stopped because it had to: for the others it went silent.
            leaveToTtl();
            return CompletableFuture.completedFuture(Ended.by(error));
        }
        return judge(error);
    }

    private CompletableFuture<Ended<R>> judge(Throwable error) {
        Verdict verdict;
        try {
            verdict = spec.onFailure().judge(error, lease.attempt());
        } catch (Error fatal) {
            // The run ends before the caller is told of an error of the policy's own.
            return hold(error).thenApply(ended -> {
                ErrorText.suppress(fatal, error);
                return Ended.by(fatal);
            });
        } catch (Throwable e) {
            ErrorText.suppress(error, e);
            return hold(error);
        }
        if (verdict == null) {
            ErrorText.suppress(error, new NullPointerException("The failure policy returned null: key " + lease.key()));
            return hold(error);
        }
        return switch (verdict) {
            case CLEAR -> clear(error);
            case RESET -> givenBack(error, steps.release(lease));
            case TERMINAL -> answers.canFail() ? fail(error, Failure.of(error)) : clear(error);
            case HOLD -> hold(error);
        };
    }

    private static <R> CompletableFuture<Ended<R>> completed(Outcome<R> outcome) {
        return CompletableFuture.completedFuture(Ended.with(outcome));
    }

    /** Whether a transaction of the work's own recorded the answer although the work heard nothing of it. */
    private boolean isInRecord(Throwable error) {
        try {
            return store.find(lease.key())
                    .filter(found -> found.record().state() == State.DONE)
                    .filter(found -> lease.ref().equals(found.record().ref()))
                    .isPresent();
        } catch (RuntimeException e) {
            ErrorText.suppress(error, e);
            return false;
        }
    }

    private CompletableFuture<Ended<R>> clear(Throwable error) {
        if (lease.attempt() >= spec.maxAttempts()) {
            Failure exhausted = Failure.of(
                    Failure.ATTEMPTS_EXHAUSTED,
                    "The last of " + lease.attempt() + " attempts failed: " + ErrorText.of(error));
            return steps.settle(lease, run.failed(exhausted)).thenApply(settled -> {
                rethrown(error, settled);
                return Ended.by(error);
            });
        }
        Settlement progress = run.cleared(ErrorText.of(error));
        CompletableFuture<ReleaseOutcome> releasing = progress == null
                ? steps.releaseForRetry(lease)
                : steps.settle(lease, progress).thenCompose(settled -> {
                    settled.noteOn(error);
                    return steps.releaseForRetry(lease);
                });
        return givenBack(error, releasing);
    }

    private CompletableFuture<Ended<R>> givenBack(Throwable error, CompletableFuture<ReleaseOutcome> releasing) {
        return releasing.handle((released, trouble) -> {
            if (released == ReleaseOutcome.UNKNOWN) {
                error.addSuppressed(new StoreUnavailableException(
                        "The run could not be given back yet; it ends with its TTL: key " + lease.key() + "."));
            }
            return Ended.by(error);
        });
    }

    private CompletableFuture<Ended<R>> fail(Throwable error, Failure failure) {
        Settlement settlement = run.failed(failure);
        return steps.settle(lease, settlement).thenCompose(settled -> {
            if (settled.isRecorded()) {
                return completed(
                        new Outcome.Refused<>(failure, lease.fence(), lease.attempt(), spec.retention(), error));
            }
            if (settled.trouble() instanceof StoreRefusedException) {
                settled.noteOn(error);
                return steps.releaseForRetry(lease).handle((released, trouble) -> Ended.by(error));
            }
            return CompletableFuture.completedFuture(rethrown(error, settled));
        });
    }

    /** Also if the policy could not say what the error means: the work must not be done again then. */
    private CompletableFuture<Ended<R>> hold(Throwable error) {
        String reason = ErrorText.of(error);
        if (!answers.canHold()) {
            return answers.canFail() ? fail(error, Failure.of(Failure.ON_HOLD, reason)) : clear(error);
        }
        return steps.settle(lease, run.onHold(reason))
                .thenApply(settled -> settled.isRecorded()
                        ? Ended.with(new Outcome.OnHold<>(reason, lease.fence(), lease.attempt(), error))
                        : rethrown(error, settled));
    }

    private Ended<R> rethrown(Throwable error, Steps.Settled settled) {
        settled.noteOn(error);
        if (!settled.isRecorded()) {
            leaveToTtl();
        }
        return Ended.by(error);
    }
}
