package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.ResultException;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.TerminalException;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A command that is run once for its key: its lease ends with an answer, which later callers are given. */
final class OncePerKey implements Purpose {
    /** How long the store may take to record the answer. */
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private static final Duration LAST_WORD = Duration.ofSeconds(2);

    private static final String EXIT_CODE = "exit-code";

    private final Duration retention;
    private final boolean keepsFailures;
    private final CompletableFuture<Acquisition> answer = new CompletableFuture<>();
    private final CompletableFuture<Done> work = new CompletableFuture<>();
    private CompletableFuture<Outcome<Done>> outcome =
            CompletableFuture.failedFuture(new UnfinishedException("nothing was asked for"));
    private volatile @Nullable Replay replay;

    /** The command did not come to an end that is kept. Its words stand in the record of the run. */
    private static final class UnfinishedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnfinishedException(String message) {
            super(message);
        }

        /** What the record of the run keeps, for people. */
        @Override
        @SuppressWarnings("OverrideThrowableToString")
        public String toString() {
            return String.valueOf(getMessage());
        }
    }

    /** @param retention how long an answer is kept */
    OncePerKey(Duration retention, boolean keepsFailures) {
        this.retention = retention;
        this.keepsFailures = keepsFailures;
    }

    @Override
    public CompletableFuture<Acquisition> ask(Leases leases, Plan plan) {
        RunSpec<Done> spec = RunSpec.of(Done.CODEC).withLeaseTtl(plan.ttl()).withRetention(retention);
        spec = plan.patience().isZero() ? spec : spec.waitingFor(plan.patience());
        outcome = Once.on(leases, plan.key(), spec).runAsync(run -> {
            if (!answer.complete(new Acquisition.Acquired(run.lease()))) {
                cancel(); // Nobody waits for it any more.
            }
            return work;
        });
        CompletableFuture<Outcome<Done>> unused = outcome.whenComplete((ended, error) -> {
            if (error != null) {
                answer.completeExceptionally(cause(error));
            } else {
                answer.complete(notRun(plan.key(), ended));
            }
        });
        return answer;
    }

    private static Throwable cause(Throwable error) {
        Throwable inner = error.getCause();
        Throwable cause = error instanceof CompletionException && inner != null ? inner : error;
        // The record was made by other means, and whether it is done nobody can tell.
        return cause instanceof ResultException unreadable
                ? new StoreException(String.valueOf(unreadable.getMessage()), unreadable)
                : cause;
    }

    /** What the store said to a caller whose command is not run, as far as it matters here. */
    private Acquisition notRun(Key key, Outcome<Done> ended) {
        if (ended instanceof Outcome.InProgress<Done> busy) {
            return refused(
                    key,
                    new AcquireResult.Held(
                            busy.owner(), busy.fence(), busy.retryAfter(), busy.retryAfter(), busy.heldFor(), false));
        }
        if (ended instanceof Outcome.Cooling<Done> cooling) {
            return refused(key, new AcquireResult.Cooling(cooling.remaining()));
        }
        if (ended instanceof Outcome.Replayed<Done> replayed) {
            Done done = replayed.value();
            boolean isKnown = done != null && !done.equals(Done.ELSEWHERE);
            replay = new Replay(
                    0, done != null && isKnown ? text("once.done", key, done) : Messages.text("once.done-before", key));
            return settled(key, Settlement.done(null, replayed.keptFor()), replayed.attempts(), replayed.fence());
        }
        if (ended instanceof Outcome.Refused<Done> failed) {
            Payload detail = failed.failure().detail();
            replay = failed.failure().code().equals(EXIT_CODE) && detail != null
                    ? failure(key, Done.parse(detail.text()))
                    : new Replay(
                            ExitCode.BUSY,
                            Messages.text(
                                    "once.failed-before", key, failed.failure().message()));
            return settled(key, Settlement.failed(null, failed.keptFor()), failed.attempts(), failed.fence());
        }
        if (ended instanceof Outcome.OnHold<Done> held) {
            replay = new Replay(ExitCode.BUSY, Messages.text("once.on-hold", key, held.reason()));
            return settled(key, Settlement.onHold(null), held.attempts(), held.fence());
        }
        throw new IllegalStateException("The run ended before it began: " + ended);
    }

    private static Acquisition refused(Key key, AcquireResult result) {
        return new Acquisition.Refused(key, result);
    }

    private static Acquisition settled(Key key, Settlement settlement, int attempts, Fence fence) {
        return refused(key, new AcquireResult.Settled(settlement, fence, attempts, settlement.retention()));
    }

    private static Replay failure(Key key, Done done) {
        return new Replay(done.exitCode(), text("once.failed", key, done));
    }

    private static String text(String message, Key key, Done done) {
        return Messages.text(
                message, key, Times.moment(done.endedAt()), done.owner(), Durations.text(done.ran()), done.exitCode());
    }

    @Override
    public Optional<Replay> replay() {
        return Optional.ofNullable(replay);
    }

    @Override
    public void end(Lease lease, Plan plan, Ending ending, Voice voice) {
        Done done = new Done(ending.code(), plan.owner().label(), Instant.now(), ending.ran());
        String said = "exit code " + ending.code();
        if (ending.isLost() || ending.isInterrupted()) {
            // Whatever it says, it was not allowed to finish.
            work.completeExceptionally(new UnfinishedException(said));
        } else if (ending.code() == 0) {
            work.complete(done);
        } else if (keepsFailures) {
            work.completeExceptionally(new TerminalException(new Failure(EXIT_CODE, said, done.toPayload())));
        } else {
            work.completeExceptionally(new UnfinishedException(said));
        }
        if (!isRecorded(ending)) {
            voice.error(Messages.text("once.unrecorded", plan.key()));
        }
    }

    /** Waits for the record. Whether it matters depends on whether the command did its work. */
    private boolean isRecorded(Ending ending) {
        boolean hasAnswer = ending.code() == 0 || keepsFailures;
        try {
            Outcome<Done> ended = outcome.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return ended instanceof Outcome.Ran || ended instanceof Outcome.Refused;
        } catch (ExecutionException e) {
            // The failure that was handed in comes back once it is cleared.
            return !hasAnswer || ending.isLost() || ending.isInterrupted();
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean cancel() {
        return work.completeExceptionally(new UnfinishedException("the command was not started"));
    }

    /** Lets the next caller run, if the command was not even started. */
    @Override
    public void close() {
        if (cancel()) {
            try {
                outcome.get(LAST_WORD.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                // Cleared, or left to its TTL.
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
