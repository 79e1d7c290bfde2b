package dev.leasehold.once;

import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a run is done and its answer kept. Immutable; each {@code with…} gives a changed copy and refuses what makes no
 * sense.
 *
 * <p>There are three times, and they have nothing to do with each other. The <em>lease TTL</em>: how long a dead runner
 * blocks the others; a living one renews. The <em>longest run</em>: how long work may take before it is told to stop and
 * others may start. The <em>retention</em>: how long the answer is given to whoever asks again; after that, the key is
 * new.
 *
 * @param <R> what the work gives
 */
public final class RunSpec<R> {
    /** A day. */
    public static final Duration DEFAULT_RETENTION = Duration.ofDays(1);

    /** 1 MiB. */
    public static final int DEFAULT_LARGEST_RESULT = 1 << 20;

    private final Draft<R> settings;
    private final LeaseOptions lease;

    private RunSpec(Draft<R> draft) {
        draft.retention = positive("The retention", draft.retention);
        atLeastOne("The number of attempts", draft.maxAttempts);
        atLeastOne("The size of the largest result", draft.largestResult);
        Duration patience = draft.patience;
        LeaseOptions options =
                patience == null ? LeaseOptions.noWait() : LeaseOptions.waitFor(positive("The time to wait", patience));
        options = options.withTtl(draft.leaseTtl)
                .withLongestLife(positive("The longest run", draft.longestRun))
                .withRetry(draft.retry);
        options = draft.ignoresCooldown ? options.ignoringCooldown() : options;
        options = draft.interruptsOnLoss ? options.interruptingOnLoss() : options;
        this.lease = options.forRun();
        this.settings = draft;
    }

    private static Duration positive(String what, Duration duration) {
        if (duration.isZero() || duration.isNegative()) {
            throw new IllegalArgumentException(what + " must be positive, not " + duration + ".");
        }
        return Micros.isForever(duration) ? Micros.FOREVER : duration;
    }

    private static void atLeastOne(String what, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(what + " must be at least 1, not " + number + ".");
        }
    }

    /**
     * A run whose result this codec keeps: for a day, without limit to its length or attempts, cleared by any failure
     * but a {@link TerminalException}, run again if its runner goes silent, and busy callers told so at once.
     */
    public static <R> RunSpec<R> of(Codec<R> codec) {
        return new RunSpec<>(new Draft<>(codec, null));
    }

    /**
     * A run on a record of the user's own, which is the answer and is kept for as long as the user keeps it: without limit
     * to its length or attempts, cleared by any failure but a {@link TerminalException}, run again if its runner goes
     * silent, and busy callers told so at once.
     */
    public static <R> RunSpec<R> of(RecordCodec<R> codec) {
        return new RunSpec<>(new Draft<>(null, codec));
    }

    /**
     * How long a runner that died blocks the others; a living one renews its lease. Default 30 s. Records of the user's own
     * may be locked for a fixed time; a spec with a longer TTL is refused there.
     */
    public RunSpec<R> withLeaseTtl(Duration ttl) {
        return with(draft -> draft.leaseTtl = ttl);
    }

    /**
     * How long the work may take. Renewals stop in time for the lease to end by then; the work is told by the loss of its
     * lease, and may still record its answer if nobody took over. No limit unless set.
     */
    public RunSpec<R> withLongestRun(Duration longest) {
        return with(draft -> draft.longestRun = longest);
    }

    /**
     * Sets how long answers are kept, failures as well. After that the key is new. Default one day. A record of the user's
     * own is kept until its owner changes it, and a spec with another retention is refused there.
     */
    public RunSpec<R> withRetention(Duration time) {
        return with(draft -> draft.retention = time);
    }

    /** What the work's exceptions mean. */
    public RunSpec<R> withFailurePolicy(FailurePolicy policy) {
        return with(draft -> draft.onFailure = policy);
    }

    /** What becomes of a run whose runner went silent. Default: it is run again. */
    public RunSpec<R> withOnStale(OnStale stale) {
        return with(draft -> draft.onStale = stale);
    }

    /**
     * How many attempts there may be, failed and silent ones counted. After the last, the run has failed with
     * {@link Failure#ATTEMPTS_EXHAUSTED}. No limit unless set.
     */
    public RunSpec<R> withMaxAttempts(int attempts) {
        return with(draft -> draft.maxAttempts = attempts);
    }

    /**
     * The largest result that is kept, in bytes as encoded. A larger one is a failure of the work's. On a record of the user's
     * own its fields have their own limits, and a spec with this one is refused.
     */
    public RunSpec<R> withLargestResult(int bytes) {
        return with(draft -> draft.largestResult = bytes);
    }

    /** While somebody else runs, callers wait for the answer for at most this long. */
    public RunSpec<R> waitingFor(Duration longest) {
        return with(draft -> draft.patience = longest);
    }

    /** While somebody else runs, callers are told so at once. The default. */
    public RunSpec<R> answeringAtOnce() {
        return with(draft -> draft.patience = null);
    }

    /** How to go on when the store does not answer. */
    public RunSpec<R> withRetry(RetryPolicy policy) {
        return with(draft -> draft.retry = policy);
    }

    /** A cooldown that the key's last use left does not count. */
    public RunSpec<R> ignoringCooldown() {
        return with(draft -> draft.ignoresCooldown = true);
    }

    /** The working thread is interrupted when its lease is lost. */
    public RunSpec<R> interruptingOnLoss() {
        return with(draft -> draft.interruptsOnLoss = true);
    }

    /** Answers are also kept in this cache, and served from there without asking the store; see there for the price. */
    public RunSpec<R> withLocalCache(AnswerCache answers) {
        return with(draft -> draft.cache = answers);
    }

    /** Keeps results as bytes; null if the run is on a record of the user's own. */
    public @Nullable Codec<R> codec() {
        return settings.codec;
    }

    /** Reads and writes a record of the user's own; null if results are kept as bytes. */
    public @Nullable RecordCodec<R> recordCodec() {
        return settings.recordCodec;
    }

    public Duration retention() {
        return settings.retention;
    }

    public FailurePolicy onFailure() {
        return settings.onFailure;
    }

    public OnStale onStale() {
        return settings.onStale;
    }

    public int maxAttempts() {
        return settings.maxAttempts;
    }

    public int largestResult() {
        return settings.largestResult;
    }

    public Duration leaseTtl() {
        return lease.ttl();
    }

    @Nullable
    AnswerCache cache() {
        return settings.cache;
    }

    boolean waits() {
        return settings.patience != null;
    }

    LeaseOptions lease() {
        return lease;
    }

    private RunSpec<R> with(Consumer<Draft<R>> change) {
        Draft<R> draft = new Draft<>(settings);
        change.accept(draft);
        return new RunSpec<>(draft);
    }

    /** The settings, which nobody changes once they are in a spec. */
    private static final class Draft<R> {
        private final @Nullable Codec<R> codec;
        private final @Nullable RecordCodec<R> recordCodec;
        private Duration leaseTtl = LeaseOptions.DEFAULT_TTL;
        private Duration longestRun = Micros.FOREVER;
        private Duration retention = DEFAULT_RETENTION;
        private FailurePolicy onFailure = FailurePolicy.DEFAULT;
        private OnStale onStale = OnStale.RERUN;
        private int maxAttempts = Integer.MAX_VALUE;
        private int largestResult = DEFAULT_LARGEST_RESULT;
        private @Nullable Duration patience;
        private @Nullable AnswerCache cache;
        private RetryPolicy retry = RetryPolicy.DEFAULT;
        private boolean ignoresCooldown;
        private boolean interruptsOnLoss;

        Draft(@Nullable Codec<R> codec, @Nullable RecordCodec<R> recordCodec) {
            this.codec = codec;
            this.recordCodec = recordCodec;
        }

        Draft(Draft<R> other) {
            codec = other.codec;
            recordCodec = other.recordCodec;
            leaseTtl = other.leaseTtl;
            longestRun = other.longestRun;
            retention = other.retention;
            onFailure = other.onFailure;
            onStale = other.onStale;
            maxAttempts = other.maxAttempts;
            largestResult = other.largestResult;
            patience = other.patience;
            cache = other.cache;
            retry = other.retry;
            ignoresCooldown = other.ignoresCooldown;
            interruptsOnLoss = other.interruptsOnLoss;
        }
    }
}
