package dev.leasehold.once;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.Moment;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.once.RunEnd.Ended;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One run: work that is done once for its key, whoever asks and however often. Later callers are given the same answer
 * for as long as it is kept.
 *
 * <p>What is promised: at most one answer is recorded per key and retention, and every caller is given that one. The
 * work itself may be done again if its runner went silent or reported a failure that clears; so effects must be guarded
 * by the {@link Run#fence}, be harmless when repeated, or be committed together with the answer, see
 * {@link Run#settling}.
 *
 * <p>Immutable and cheap to make. Safe for use by any number of threads.
 *
 * @param <R> what the work gives
 */
public final class Once<R> {
    private final Leases leases;
    private final Key key;
    private final RunSpec<R> spec;
    private final Fingerprint fingerprint;
    private final Answers<R> answers;

    private Once(Leases leases, Key key, RunSpec<R> spec, Fingerprint fingerprint) {
        this.leases = leases;
        this.key = key;
        this.spec = spec;
        this.fingerprint = fingerprint;
        this.answers = Answers.on(leases.store(), key, spec);
    }

    /** A run of this key, for any request. */
    public static <R> Once<R> on(Leases leases, Key key, RunSpec<R> spec) {
        return new Once<>(leases, key, spec, Fingerprint.none());
    }

    /** The same run for this request: if the key belongs to another one, the outcome is a mismatch. */
    public Once<R> of(Fingerprint request) {
        if (leases.store().recordTraits().isPresent() && request.text() != null) {
            throw new IllegalArgumentException("The record " + answers.recordName()
                    + " has no place for a fingerprint. Leave out of(fingerprint), and compare requests yourself.");
        }
        return new Once<>(leases, key, spec, request);
    }

    /**
     * Does the work, unless it was done before or somebody is at it.
     *
     * @return what became of it; only {@link Outcome.Ran} and {@link Outcome.Unrecorded} mean that it was done now
     * @throws Exception whatever the work threw, as it is, if the {@link FailurePolicy} clears it. What else went wrong
     *     meanwhile is suppressed in it.
     * @throws InterruptedException if the thread was interrupted while it waited; nothing was done then
     * @throws RecordNotFoundException if the run is on a record of the user's own that does not exist
     * @throws LeaseException if the store does not answer; nothing was done then
     * @throws ResultException if the kept answer cannot be read
     */
    public Outcome<R> run(Work<R> work) throws Exception {
        Moment now = leases.now();
        Outcome<R> cached = fromCache(now);
        if (cached != null) {
            return cached;
        }
        Asked asked = asked(now);
        Acquisition acquisition = spec.waits() ? leases.acquire(key, options()) : leases.tryAcquire(key, options());
        if (acquisition instanceof Acquisition.Refused refused) {
            return answer(refused, asked);
        }
        Lease lease = ((Acquisition.Acquired) acquisition).lease();
        Subscription use = lease.startUse(); // Until the attempt has ended, and not only while the work is done.
        try {
            return deliver(attempt(lease, work));
        } finally {
            use.close();
        }
    }

    /**
     * Returns whether this error, which {@link #run} threw, comes from the work and is about something other than the
     * run: a lease on another key, or another record. If not, the run itself had no lease, lost it, or found no record.
     */
    public static boolean isOfWork(LeaseException error) {
        return WorkNote.isOn(error);
    }

    private Ended<R> attempt(Lease lease, Work<R> work) {
        Opened<R> opened = open(lease, Steps.BLOCKING).join();
        Run<R> run = opened.run();
        if (run == null) {
            return opened.ended();
        }
        RunEnd<R> end = new RunEnd<>(run, spec, answers, leases.store(), Steps.BLOCKING);
        R value;
        try {
            value = lease.use(held -> Optional.ofNullable(work.run(run))).orElse(null);
        } catch (Throwable error) {
            return end.failed(error).join();
        }
        return end.returned(value).join();
    }

    /**
     * The same for work that goes on elsewhere and gives its value later. No thread waits. Cancelling the future does not
     * stop the work. Work that returns null instead of a stage has failed.
     */
    public CompletableFuture<Outcome<R>> runAsync(Function<Run<R>, CompletionStage<R>> work) {
        Moment now = leases.now();
        Outcome<R> cached = fromCache(now);
        if (cached != null) {
            return CompletableFuture.completedFuture(cached);
        }
        Asked asked = asked(now);
        // A future of our own: those derived from others ask errors for their text, and never end if that throws.
        CompletableFuture<Outcome<R>> result = new CompletableFuture<>();
        CompletionStage<Acquisition> acquiring = leases.acquireAsync(key, options());
        acquiring.whenComplete((acquisition, error) -> {
            try {
                if (acquisition instanceof Acquisition.Refused refused) {
                    result.complete(answer(refused, asked));
                } else if (acquisition instanceof Acquisition.Acquired acquired) {
                    start(acquired.lease(), work, result);
                } else {
                    fail(result, Objects.requireNonNull(error));
                }
            } catch (Throwable e) {
                fail(result, e);
            }
        });
        return result;
    }

    private void start(Lease lease, Function<Run<R>, CompletionStage<R>> work, CompletableFuture<Outcome<R>> result) {
        Subscription use = lease.startUse();
        CompletionStage<Ended<R>> end =
                Steps.surely(lease, () -> open(lease, Steps.ASYNC).thenCompose(opened -> go(opened, work)), Ended::by);
        end.thenAccept(ended -> {
            use.close();
            Throwable error = ended.error();
            if (error == null) {
                result.complete(Objects.requireNonNull(ended.outcome()));
            } else {
                fail(result, error);
            }
        });
    }

    private CompletableFuture<Ended<R>> go(Opened<R> opened, Function<Run<R>, CompletionStage<R>> work) {
        Run<R> run = opened.run();
        if (run == null) {
            return CompletableFuture.completedFuture(opened.ended());
        }
        RunEnd<R> end = new RunEnd<>(run, spec, answers, leases.store(), Steps.ASYNC);
        // A stage of the user's may call back several times. The first result counts, the others are ignored.
        CompletableFuture<Supplier<CompletableFuture<Ended<R>>>> over = new CompletableFuture<>();
        try {
            CompletionStage<R> stage = work.apply(run);
            Objects.requireNonNull(stage, () -> "The work returned null instead of a stage: key " + key + ".")
                    .handle((value, error) -> over.complete(
                            error == null ? () -> end.returned(value) : () -> end.failed(ErrorText.unwrapped(error))));
        } catch (Throwable e) {
            over.complete(() -> end.failed(e));
        }
        return over.thenCompose(Supplier::get);
    }

    /** As a failed stage passes its error on, but without asking the error for its text unguarded. */
    private static void fail(CompletableFuture<?> result, Throwable error) {
        result.completeExceptionally(
                error instanceof CompletionException ? error : new CompletionException(ErrorText.of(error), error));
    }

    private LeaseOptions options() {
        String print = fingerprint.text();
        return print == null ? spec.lease() : spec.lease().withFingerprint(print);
    }

    /**
     * When the store was asked for an answer.
     *
     * @param changes how often answers in the cache had changed by then
     */
    private record Asked(Moment at, long changes) {}

    private Asked asked(Moment now) {
        AnswerCache cache = spec.cache();
        return new Asked(now, cache == null ? 0 : cache.changes(leases.store(), key));
    }

    private @Nullable Outcome<R> fromCache(Moment now) {
        AnswerCache cache = spec.cache();
        AnswerCache.Found found = cache == null ? null : cache.find(leases.store(), key, fingerprint, now);
        return found == null
                ? null
                : answers.replay(found.settlement(), found.fence(), found.attempts(), found.keptFor());
    }

    private Outcome<R> answer(Acquisition.Refused refused, Asked asked) {
        Outcome<R> outcome = answers.of(refused);
        AnswerCache cache = spec.cache();
        if (cache != null && refused.answer() instanceof AcquireResult.Settled settled) {
            cache.keep(leases.store(), key, fingerprint, settled, asked.at(), asked.changes());
        }
        return outcome;
    }

    /**
     * How an attempt begins: with a run, or with its end.
     */
    private record Opened<R>(@Nullable Run<R> run, Ended<R> ended) {
        static <R> Opened<R> over(Ended<R> ended) {
            return new Opened<>(null, ended);
        }
    }

    private CompletableFuture<Opened<R>> open(Lease lease, Steps steps) {
        return Steps.surely(lease, () -> begin(lease, steps), trouble -> Opened.over(Ended.by(trouble)));
    }

    private CompletableFuture<Opened<R>> begin(Lease lease, Steps steps) {
        // The key is granted anew: an answer that was kept before is not the answer any more.
        AnswerCache.forgetEverywhere(leases.store(), key);
        Envelope before;
        try {
            before = answers.before(lease);
        } catch (ResultException e) {
            return steps.releaseForRetry(lease).handle((released, trouble) -> Opened.over(Ended.by(e)));
        }
        Envelope known = before.withSilent(lease.predecessor().orElse(null), answers.earlierAttempts(lease));
        boolean isStale = !known.equals(before); // Not by the number: what is remembered is limited.
        if (isStale && spec.onStale() == OnStale.HOLD) {
            return hold(lease, known, steps);
        }
        if (lease.attempt() > spec.maxAttempts()) {
            return exhaust(lease, known, steps);
        }
        Run<R> run = new Run<>(lease, answers, known, leases::now);
        return CompletableFuture.completedFuture(new Opened<>(run, Ended.none()));
    }

    private CompletableFuture<Opened<R>> hold(Lease lease, Envelope known, Steps steps) {
        Attempt silent = known.history().get(known.history().size() - 1);
        String reason = "Attempt " + silent.number() + (silent.owner() == null ? "" : " of " + silent.owner())
                + " ended without an answer: its lease expired.";
        Outcome<R> outcome = answers.canHold()
                ? new Outcome.OnHold<>(reason, lease.fence(), lease.attempt(), null)
                : unrun(Failure.of(Failure.ON_HOLD, reason), lease, lease.attempt());
        return endUnrun(lease, answers.onHold(known, reason), steps, outcome);
    }

    private CompletableFuture<Opened<R>> exhaust(Lease lease, Envelope known, Steps steps) {
        int attempts = lease.attempt() - 1;
        String limit = attempts == 1
                ? "The limit of 1 attempt is used up: it failed, or its lease expired without an answer."
                : "The limit of " + attempts
                        + " attempts is used up: each failed, or its lease expired without an answer.";
        Failure failure = Failure.of(Failure.ATTEMPTS_EXHAUSTED, limit);
        return endUnrun(lease, answers.failed(known, failure), steps, unrun(failure, lease, attempts));
    }

    /** A failure of this call, without an error of the work's: it was not done. */
    private Outcome<R> unrun(Failure failure, Lease lease, int attempts) {
        return new Outcome.Refused<>(
                failure, lease.fence(), attempts, spec.retention(), new TerminalException(failure));
    }

    /** Ends an attempt that must not be run. If that cannot be recorded, the next caller will come to the same end. */
    private CompletableFuture<Opened<R>> endUnrun(Lease lease, Settlement settlement, Steps steps, Outcome<R> outcome) {
        return steps.settle(lease, settlement).thenApply(settled -> {
            if (settled.isRecorded()) {
                return Opened.over(Ended.with(outcome));
            }
            lease.abandon("its run could not be ended");
            return Opened.over(Ended.by(notEnded(settled.trouble())));
        });
    }

    private Throwable notEnded(@Nullable Throwable trouble) {
        if (trouble != null && !(trouble instanceof StoreUnavailableException)) {
            return trouble;
        }
        String why = trouble == null
                ? "Another worker took over this run before it started"
                : "The store did not answer, so the work was not started";
        return new LeaseException(
                LeaseException.Code.UNAVAILABLE, key, why + ". Retry the call: key " + key + ".", trouble);
    }

    private static <R> Outcome<R> deliver(Ended<R> ended) throws Exception {
        Throwable error = ended.error();
        if (error instanceof Exception exception) {
            throw exception;
        }
        if (error instanceof Error fatal) {
            throw fatal;
        }
        if (error != null) {
            throw new CompletionException(error);
        }
        return Objects.requireNonNull(ended.outcome());
    }

    /**
     * How things stand, without claiming anything. Asks the store, past any cache.
     *
     * @throws RecordNotFoundException if the run is on a record of the user's own that does not exist
     */
    public RunView<R> peek() {
        return leases.store()
                .find(key)
                .map(found -> RunView.of(found, fingerprint, answers))
                .orElseGet(answers::absent);
    }

    /**
     * Decides what became of a run that is on hold.
     *
     * @param seen the fence of the run that was looked at: if it is another one by now, nothing happens
     * @return whether the run was on hold and is resolved like this now
     */
    public boolean resolve(Fence seen, Resolution<R> resolution) {
        Optional<LeaseSnapshot> found = leases.store().find(key).filter(it -> isOf(it, seen, State.HOLD));
        LeaseRef ref = found.map(it -> it.record().ref()).orElse(null);
        if (found.isEmpty() || ref == null) {
            return false;
        }
        Envelope before = Envelope.read(key, found.get().record().progress().payload());
        SettleRequest request = SettleRequest.amending(ref, settlement(resolution, before));
        try {
            boolean isResolved = leases.store().settle(request).isSettled();
            if (isResolved && resolution instanceof Resolution.Cleared) {
                // Its retention is over already; this makes the record say so to people as well.
                leases.store().release(forgetting(ref));
            }
            return isResolved;
        } finally {
            AnswerCache.forgetEverywhere(leases.store(), key);
        }
    }

    private Settlement settlement(Resolution<R> resolution, Envelope before) {
        if (resolution instanceof Resolution.Done<R> done) {
            return answers.done(before, done.value());
        }
        if (resolution instanceof Resolution.Failed<R> failed) {
            return answers.failed(before, failed.failure());
        }
        return Settlement.failed(null, Duration.ZERO);
    }

    /**
     * Forgets an answer before its time, so that the next caller runs. Every {@link AnswerCache} of this process forgets
     * it too; those of other processes may serve it for as long as it was to be kept.
     *
     * @param seen the fence of the run that was looked at: if it is another one by now, nothing happens
     * @return whether there was an answer and it is forgotten now
     * @throws dev.leasehold.store.StoreUnsupportedException if the answer is a record of the user's own: its owner says there
     *     that it is not finished any more
     */
    public boolean forget(Fence seen) {
        LeaseRef ref = leases.store()
                .find(key)
                .filter(it -> isOf(it, seen, it.record().state())
                        && it.record().state().isSettled())
                .map(it -> it.record().ref())
                .orElse(null);
        try {
            return ref != null && leases.store().release(forgetting(ref)) == ReleaseResult.RELEASED;
        } finally {
            // After the store: a caller that asks it from now on finds no answer to put into a cache again.
            AnswerCache.forgetEverywhere(leases.store(), key);
        }
    }

    private static boolean isOf(LeaseSnapshot found, Fence seen, State state) {
        return found.record().state() == state && found.record().fence().equals(seen);
    }

    private static ReleaseRequest forgetting(LeaseRef ref) {
        return ReleaseRequest.of(ref).withEnding(ReleaseRequest.Ending.FORGET);
    }
}
