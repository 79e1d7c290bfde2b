package dev.leasehold.once;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnsupportedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a run, as the work sees it. Safe for use by the work's threads; without meaning once the work is over.
 *
 * @param <R> what the work gives
 */
public final class Run<R> {
    private final Lease lease;
    private final Answers<R> answers;
    private final Supplier<Moment> clock;
    private final Moment start;
    private final Envelope before;
    /** One checkpoint at a time, so that the last to be kept in the store is the last to be kept here. */
    private final ReentrantLock keeping = new ReentrantLock();

    private Envelope.Body progress;
    private @Nullable Recording<R> recording;
    private boolean isRecorded;

    /** An answer on its way into the record. */
    record Recording<R>(@Nullable R value, Settlement settlement) {}

    Run(Lease lease, Answers<R> answers, Envelope before, Supplier<Moment> clock) {
        this.lease = lease;
        this.answers = answers;
        this.before = before;
        this.progress = before.body();
        this.clock = clock;
        this.start = clock.get();
    }

    public Key key() {
        return lease.key();
    }

    /** Larger than that of every earlier attempt. Give it to whatever the work changes. */
    public Fence fence() {
        return lease.fence();
    }

    /** What a store compares: for whoever guards a transaction with it. */
    public LeaseRef ref() {
        return lease.ref();
    }

    /** The number of this attempt, counted from 1. */
    public int attempt() {
        return lease.attempt();
    }

    /** The runner that went silent and from whom this one took over. */
    public Optional<Predecessor> predecessor() {
        return lease.predecessor();
    }

    /** The earlier attempts, the oldest first, as far as the record remembers them. */
    public List<Attempt> history() {
        return before.history();
    }

    /** Whether the work may go on, by this process's own clock. */
    public boolean isValid() {
        return lease.isValid();
    }

    /**
     * Returns if the work may go on. Cheap enough to be called before every effect.
     *
     * @throws dev.leasehold.lease.LeaseLostException if it must not
     */
    public void ensure() {
        lease.ensure();
    }

    /** Calls back once, on another thread, if the lease is lost. */
    public void onLost(Consumer<String> listener) {
        lease.onLost(listener);
    }

    /**
     * The user's own record as it was when this attempt began.
     *
     * @throws IllegalStateException if the run is not on a record of the user's own
     * @throws ResultException if the codec cannot read it
     */
    public R record() {
        Fields record = lease.fields().orElse(null);
        if (record == null || !(answers instanceof RecordAnswers<R> records)) {
            throw new IllegalStateException("The run is not on a record of your own: key " + key() + ".");
        }
        return records.read(record);
    }

    /** How far the run got: what this or an earlier attempt kept last. */
    public synchronized Optional<byte[]> checkpoint() {
        return progress instanceof Envelope.Body.Bytes bytes
                ? Optional.of(bytes.payload().bytes())
                : Optional.empty();
    }

    /**
     * Keeps how far the run got, for whoever has to go on.
     *
     * @throws dev.leasehold.lease.LeaseLostException if the run is no longer this one's; nothing is kept then
     * @throws dev.leasehold.store.StoreUnsupportedException if the user's own record has no place for a checkpoint
     * @throws dev.leasehold.store.StoreException if the store does not answer: whether it is kept is unknown
     */
    public void checkpoint(byte[] state) {
        Envelope.Body kept = answers.bytes("checkpoint", state);
        Settlement settlement = answers.progress(before.with(kept));
        if (settlement == null) {
            throw new StoreUnsupportedException(
                    "The record " + answers.recordName()
                            + " has no place for a checkpoint. Leave checkpoints out, or use a store with Leasehold's own records.");
        }
        keeping.lock(); // The monitor is for the fields alone: other threads must not wait for the store.
        try {
            if (!lease.settle(settlement).isSettled()) {
                lease.ensure(); // Which throws, and says why.
                throw new IllegalStateException("The run is over: key " + key() + ".");
            }
            synchronized (this) {
                progress = kept;
            }
        } finally {
            keeping.unlock();
        }
    }

    /**
     * What records this value as the answer, for work that does so in a transaction of its own, together with its
     * effects. After the commit it calls {@link #recorded} and returns the value. If it throws instead, perhaps because
     * the reply to its commit was lost, the record is looked at: if the answer is there, the run has ended well.
     *
     * <p>On a record of the user's own, the caller of the run is given the record as it was read after that, as later callers
     * are. If the store does not answer then, or the record is not done any more, the caller is given this value.
     *
     * @throws ResultException if the value cannot be kept
     */
    public synchronized SettleRequest settling(@Nullable R value) {
        Recording<R> made = startRecording(value);
        recording = made;
        return SettleRequest.of(ref(), made.settlement());
    }

    /** The transaction with what {@link #settling} gave was committed. */
    public void recorded() {
        synchronized (this) {
            if (recording == null) {
                throw new IllegalStateException("Nothing was to be recorded; call settling first: key " + key() + ".");
            }
            isRecorded = true;
        }
        lease.settledElsewhere();
    }

    synchronized boolean isRecorded() {
        return isRecorded;
    }

    synchronized @Nullable Recording<R> recording() {
        return recording;
    }

    /**
     * The lease of this attempt: for whoever must know its deadline, or tell others about it. It ends with the work, and
     * is not to be ended by it.
     */
    public Lease lease() {
        return lease;
    }

    Recording<R> startRecording(@Nullable R value) {
        return new Recording<>(value, answers.done(ended(Attempt.Ending.DONE, ""), value));
    }

    Settlement failed(Failure failure) {
        return answers.failed(ended(Attempt.Ending.FAILED, failure.code()), failure);
    }

    Settlement onHold(String reason) {
        return answers.onHold(ended(Attempt.Ending.ON_HOLD, reason), reason);
    }

    /** Leaves the checkpoint to the next attempt, with a word on what happened here; null if there is nothing to keep. */
    synchronized @Nullable Settlement cleared(String why) {
        return answers.progress(ended(Attempt.Ending.CLEARED, why).with(progress));
    }

    private Envelope ended(Attempt.Ending ending, String note) {
        Duration lasted = Duration.ofNanos(Math.max(0, clock.get().nanos() - start.nanos()));
        Attempt attempt = new Attempt(attempt(), lease.owner(), fence(), lasted, ending, note);
        return before.with(attempt);
    }
}
