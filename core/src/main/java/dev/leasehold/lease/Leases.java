package dev.leasehold.lease;

import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases on a store and keeps them: the client that users hold, one per process and store.
 *
 * <p>Safe for use by any number of threads. Closing it ends all waiting, gives leases back that nobody is working
 * under, and leaves those to their TTL under which work is still running.
 */
public final class Leases implements AutoCloseable {
    private static final Duration EXIT_BUDGET = Duration.ofSeconds(2);
    /** The longest wait of a caller that closes the client for another one that does; far more than a close takes. */
    private static final Duration SECOND_CLOSE_BUDGET = Duration.ofSeconds(30);

    private static final Duration SECOND_WIND = Duration.ofMillis(100);
    private static final Duration CALLBACK_BUDGET = Duration.ofMillis(500);

    /** How often a lease is renewed to confirm it, if the clock is set again during each renewal. */
    private static final int MOST_CONFIRMATIONS = 4;

    private final LeaseStore store;
    private final Clockwork clockwork;
    private final Owner owner;
    private final Supplier<Nonce> ids;
    private final ReentrantLock lock = new ReentrantLock();
    /** For the user and the log, told on callback threads. */
    private final EventHub events = new EventHub();
    /** For the history, whose writer only takes note: told by the thread that causes them. */
    private final EventHub records = new EventHub();

    private final LeaseEngine engine;
    private final @Nullable HistoryWriter writer;
    private final boolean areListenersFirst;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final Errands errands;
    private final HeldResults heldResults = new HeldResults();
    private final AtomicBoolean hasAskedForWakeUps = new AtomicBoolean();
    private final AtomicBoolean mustAskAgainForWakeUps = new AtomicBoolean();

    private Clockwork.Alarm alarm;
    private boolean isKeeperGone;
    private long alarmAt = Long.MAX_VALUE;
    /** When the keeper repeats what it failed to do; other threads that step meanwhile do not put that off. */
    private long againAt = Long.MAX_VALUE;

    private long steppedAt;
    /** Whether the keeper has said that no thread is free. */
    private volatile boolean areThreadsBusy;

    private volatile @Nullable ClosingLeases closing;

    Leases(LeasesBuilder builder) {
        this.store = builder.store;
        this.clockwork = builder.clockwork;
        this.owner = builder.owner;
        this.ids = builder.ids;
        this.engine = new LeaseEngine(builder.settings, builder.random, store::name, builder.areListenersFirst);
        this.areListenersFirst = builder.areListenersFirst;
        this.writer = builder.isKeepingHistory
                ? new HistoryWriter(historyOf(builder.store), builder.clockwork, builder.isLogging)
                : null;
        this.errands = new Errands(clockwork, this::ringSoon);
        this.alarm = clockwork.newAlarm(this::tick);
        if (builder.isLogging) {
            events.subscribe(Log::write, Log::isWorthALine);
        }
        if (writer != null) {
            records.subscribe(writer::heard);
        }
        if (builder.isClosedAtExit) {
            subscriptions.add(clockwork.atExit(this::exit));
        }
    }

    private static History historyOf(LeaseStore store) {
        return store.history()
                .orElseThrow(() -> new StoreUnsupportedException("The store " + store.name()
                        + " keeps no history; memory, file and database tables of ours do."));
    }

    /** A client with the usual settings. */
    public static Leases on(LeaseStore store) {
        return builder(store).build();
    }

    public static LeasesBuilder builder(LeaseStore store) {
        return new LeasesBuilder(store);
    }

    /** Acquires the lease if it is free, and says who has it if not. Does not wait for a holder. */
    public Acquisition tryAcquire(Key key) {
        return tryAcquire(key, LeaseOptions.defaults());
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public Acquisition tryAcquire(String key) {
        return tryAcquire(Key.of(key));
    }

    /** The same with options, of which those for waiting do not count. */
    public Acquisition tryAcquire(Key key, LeaseOptions options) {
        return await(open(key, options.withoutWaiting(), true).result);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public Acquisition tryAcquire(String key, LeaseOptions options) {
        return tryAcquire(Key.of(key), options);
    }

    /**
     * Acquires the lease, waiting as the options say.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; no lease is left behind then
     * @throws LeaseException if the store does not answer
     */
    public Acquisition acquire(Key key, LeaseOptions options) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Call call = open(key, options, true);
        try {
            Parking.untilDoneOrInterrupted(call.result);
        } catch (InterruptedException e) {
            cancel(call);
            throw e;
        }
        return await(call.result);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public Acquisition acquire(String key, LeaseOptions options) throws InterruptedException {
        return acquire(Key.of(key), options);
    }

    /**
     * Acquires without holding up the caller. Cancelling the future gives up waiting and leaves no lease behind.
     *
     * <p>What depends on the future runs on a thread of ours that nothing else waits for, and may block.
     */
    public CompletableFuture<Acquisition> acquireAsync(Key key, LeaseOptions options) {
        Call call = open(key, options, false);
        Call.Handle handle = call.new Handle();
        Executor where = call.result.isDone() ? Runnable::run : errands; // Nothing depends on the handle yet.
        var unused = call.result.whenComplete((acquisition, failure) -> {
            if (acquisition != null || !handle.isDone()) {
                where.execute(() -> handle.pass(acquisition, failure));
            }
        });
        return handle;
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public CompletableFuture<Acquisition> acquireAsync(String key, LeaseOptions options) {
        return acquireAsync(Key.of(key), options);
    }

    /** A future for the user: what depends on it runs on a callback thread, and not where the result becomes known. */
    <T> CompletableFuture<T> handedOut(CompletableFuture<T> result) {
        if (result.isDone()) {
            return result;
        }
        CompletableFuture<T> copy = new CompletableFuture<>();
        var unused = result.whenComplete((value, failure) -> errands.execute(() -> {
            if (failure == null) {
                copy.complete(value);
            } else {
                copy.completeExceptionally(failure);
            }
        }));
        return copy;
    }

    /**
     * Does the work under the lease, waiting for it as the options say, and always gives it back.
     *
     * <p>Its last event is {@code lock:released} or {@code lock:cleanup-warning}, however the work ended. If the lease was
     * lost, {@code lock:lost} came before.
     *
     * @throws LeaseException with code {@code lock-unavailable} if it was not acquired
     * @throws LeaseLostException if the lease was lost before the work returned, as {@link Lease#close} does
     * @throws X whatever the work throws
     */
    public <T extends @Nullable Object, X extends Exception> T with(Key key, LeaseOptions options, Work<T, X> work)
            throws X, InterruptedException {
        return acquire(key, options).orElseThrow().useAndClose(work);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public <T extends @Nullable Object, X extends Exception> T with(String key, LeaseOptions options, Work<T, X> work)
            throws X, InterruptedException {
        return with(Key.of(key), options, work);
    }

    /**
     * The same for work that does not ask for its lease.
     *
     * <p>The result can be an argument of an overloaded method: {@code System.out.println(leases.with(key, options, () ->
     * "done"))}. With {@code lease -> "done"} the compiler cannot choose a {@code println}; {@code (Lease lease) ->
     * "done"} helps.
     */
    public <T extends @Nullable Object, X extends Exception> T with(Key key, LeaseOptions options, Task<T, X> work)
            throws X, InterruptedException {
        return with(key, options, (Lease lease) -> work.run());
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public <T extends @Nullable Object, X extends Exception> T with(String key, LeaseOptions options, Task<T, X> work)
            throws X, InterruptedException {
        return with(Key.of(key), options, work);
    }

    /**
     * The same as {@link #with}, without holding up the caller. The work is over when its stage is completed; the lease is
     * then given back, and after that the future is completed as the stage was, or with a {@link LeaseLostException} if the
     * lease was lost and nothing has told so before.
     *
     * <p>Cancelling the future gives up waiting. Once the work has begun, cancelling the future does not stop it, and the
     * lease is given back when the work is over.
     */
    public <T extends @Nullable Object> CompletableFuture<T> withAsync(
            Key key, LeaseOptions options, Function<Lease, ? extends CompletionStage<T>> work) {
        return AsyncScope.run(acquireAsync(key, options), errands, work);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public <T extends @Nullable Object> CompletableFuture<T> withAsync(
            String key, LeaseOptions options, Function<Lease, ? extends CompletionStage<T>> work) {
        return withAsync(Key.of(key), options, work);
    }

    /** Work that is done under a lease and gives a value. */
    public interface Work<T extends @Nullable Object, X extends Exception> {
        T run(Lease lease) throws X;
    }

    /** Work that is done under a lease, does not ask for it, and gives a value. */
    public interface Task<T extends @Nullable Object, X extends Exception> {
        T run() throws X;
    }

    /** Work that is done under a lease and gives no value. */
    public interface Action<X extends Exception> {
        void run(Lease lease) throws X;
    }

    /**
     * Tells the listener everything that happens to leases of this client, in order, until the subscription ends.
     *
     * <p>It is told on a thread of ours, a moment after the event. Unless the client was built with
     * {@link LeasesBuilder#listenersFirst}, a call may return before the listener has heard of it. A listener may block,
     * throw and use the client; that delays its own events and nothing else. If 50,000 events wait for it, those of type
     * {@code lock:renewed} and {@code lock:retry} are dropped. If fewer than a quarter were, the oldest others are
     * dropped too. A warning in the log says how many.
     */
    public Subscription onEvent(Consumer<LeaseEvent> listener) {
        return events.subscribe(listener);
    }

    /**
     * Takes a lease away from its holder, whoever that is: for an operator who knows better. The work may still be
     * running; it learns of its loss at the next renewal, and its fence is too old from the next grant on. Attempts and
     * checkpoint of a run are kept.
     *
     * <p>An entry of the store's {@link History} tells who did it and why. It is written first: if that fails, nothing
     * is released. After a {@link dev.leasehold.store.StoreUnavailableException} the lease may or may not have been
     * released; asking again is safe.
     *
     * @param seen the fence of the lease that is meant: if somebody else holds it by now, nothing is done
     * @param by who does it
     * @throws StoreUnsupportedException if the store keeps no history
     */
    public ForcedRelease forceRelease(Key key, Fence seen, String by, String reason) {
        return new Forcing(store, historyOf(store)).release(key, seen, by, reason);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public ForcedRelease forceRelease(String key, Fence seen, String by, String reason) {
        return forceRelease(Key.of(key), seen, by, reason);
    }

    /** The store behind this client. */
    public LeaseStore store() {
        return store;
    }

    /** A nonce that nobody else has, for whoever asks the store directly. */
    public Nonce newNonce() {
        return ids.get();
    }

    /** The same as {@link #close(Duration)} with no grace. The store stays open: it is not ours. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Stops acquiring, gives back every lease that no work runs under, and lets work under the others go on for at most
     * this long while they are renewed. Then it gives those back too, except for leases under which work is still
     * running: that work is told that its lease is lost, and the lease ends with its TTL. Giving it back would let another
     * holder in beside the running work.
     *
     * <p>Work runs under a lease in {@link #with} and the other scoped forms, in {@link Lease#use} and after
     * {@link Lease#startUse}. The client cannot see a try block: it gives the lease of one back at once, and then
     * {@link Lease#close} at the end of the block throws {@link LeaseLostException}.
     *
     * <p>Returns when the store has all that back, leases and places in line, or has not answered for two seconds; and when
     * listeners have heard of it, unless they take longer than a moment. A process that exits meanwhile waits for it, and
     * cuts the grace to two seconds. An interrupt of the thread shortens none of this, and is kept for later.
     *
     * <p>If another thread closes the client already, this waits until that is done, and the shorter grace counts for both.
     * Closing a client that is closed does nothing.
     */
    public void close(Duration grace) {
        ClosingLeases own = new ClosingLeases(this, grace);
        ClosingLeases underWay;
        lock.lock();
        try {
            underWay = closing;
            if (underWay == null) {
                closing = own;
            }
        } finally {
            lock.unlock();
        }
        if (underWay == null) {
            close(own);
        } else {
            underWay.join(grace, SECOND_CLOSE_BUDGET);
        }
    }

    private void close(ClosingLeases own) {
        boolean wasInterrupted = Uninterrupted.take(); // A subscription of a store may wait as well.
        try {
            step((engine, now) -> engine.calls.cancelAll(Leases::closed, now), null);
            own.close();
            subscriptions().forEach(Subscription::close);
            if (writer != null) {
                writer.close();
            }
            errands.awaitCallbacks(CALLBACK_BUDGET);
        } finally {
            own.done();
            stopKeeperIfDone();
            if (wasInterrupted) {
                Uninterrupted.giveBack();
            }
        }
    }

    private void exit() {
        ClosingLeases underWay;
        lock.lock();
        try {
            underWay = closing;
        } finally {
            lock.unlock();
        }
        if (underWay == null) {
            close(EXIT_BUDGET);
        } else {
            underWay.join(EXIT_BUDGET, ClosingLeases.RELEASE_BUDGET);
        }
    }

    /**
     * Ends the keeper of a closed client, unless it still has to find threads for something, or a caller still waits for
     * a store that does not answer: only the keeper ends that wait.
     */
    private void stopKeeperIfDone() {
        ClosingLeases present = closing;
        if (present == null || !present.isDone()) {
            return;
        }
        lock.lock();
        try {
            if (!isKeeperGone && !engine.agenda.isAwaited() && errands.retireKeeper()) {
                isKeeperGone = true;
                alarm.close();
            }
        } finally {
            lock.unlock();
        }
    }

    static LeaseException closed(Key key) {
        return new LeaseException(
                LeaseException.Code.UNAVAILABLE, key, "The lease client was closed: key " + key + ".", null);
    }

    List<Lease> kept() {
        lock.lock();
        try {
            return List.copyOf(engine.renewals.kept());
        } finally {
            lock.unlock();
        }
    }

    /** The clocks by which this client measures: for whoever must measure by the same. */
    public Moment now() {
        return clockwork.now();
    }

    String backend() {
        return store.name();
    }

    /** Runs a callback of the user's on a thread that nothing depends on. */
    void callBack(Runnable callback) {
        errands.execute(callback);
    }

    /**
     * Asks to be told of leases that are handed over; that may need a connection, so only once a call waits in line. A
     * store may take longer for it than the caller wants to wait, so another thread asks. The caller polls until then.
     */
    private void hearOfWakeUps() {
        if (hasAskedForWakeUps.compareAndSet(false, true)) {
            errands.execute(this::subscribe);
        }
    }

    /** A store that cannot tell yet, perhaps for want of a connection, is asked again with the next poll of a waiter. */
    private void subscribe() {
        boolean isTold = false;
        try {
            Optional<Subscription> found =
                    store.onWakeUp(wakeUp -> step((engine, now) -> engine.calls.wokenUp(wakeUp, now), null));
            isTold = found.isPresent();
            found.ifPresent(subscription -> {
                if (!keepUntilClosed(subscription)) {
                    subscription.close();
                }
                step((engine, now) -> engine.calls.willBeWoken(), null);
            });
        } finally {
            mustAskAgainForWakeUps.set(!isTold);
        }
    }

    private List<Subscription> subscriptions() {
        lock.lock();
        try {
            return List.copyOf(subscriptions);
        } finally {
            lock.unlock();
        }
    }

    private boolean keepUntilClosed(Subscription subscription) {
        lock.lock();
        try {
            return closing == null && subscriptions.add(subscription);
        } finally {
            lock.unlock();
        }
    }

    private void checkTtl(Key key, Duration ttl) {
        Duration shortest = store.shortestTtl();
        if (ttl.compareTo(shortest) < 0) {
            throw new IllegalArgumentException("The TTL must be at least " + shortest.toMillis() + " ms on "
                    + store.name() + ", not " + ttl + ": key " + key + ".");
        }
    }

    private Call open(Key key, LeaseOptions options, boolean onThisThread) {
        checkTtl(key, options.ttl());
        Owner named = options.owner();
        Call call = new Call(key, ids.get(), named == null ? owner : named, options, this, engine.calls);
        call.request(Duration.ZERO, null); // Refuses bad options before anything is asked.
        if (call.isInLine()) {
            hearOfWakeUps();
        }
        try {
            step(
                    (engine, now) -> {
                        if (closing != null) {
                            throw closed(key);
                        }
                        engine.calls.open(call, now);
                    },
                    onThisThread ? call : null);
        } catch (Throwable e) {
            cancel(call); // The caller gets no handle, so nothing may be acquired for it later.
            throw e;
        }
        return call;
    }

    /** Ends a call that its caller does not want any more, and gives back what it may have got already. */
    void cancel(Call call) {
        LeaseException reason = new LeaseException(
                LeaseException.Code.UNAVAILABLE, call.key, "The call was cancelled: key " + call.key + ".", null);
        step((engine, now) -> engine.calls.cancel(call, reason, now), null);
        Lease lease = call.lease;
        if (lease != null) {
            step((engine, now) -> engine.endings.giveUp(lease, now), null);
        }
    }

    /** Begins work under the lease. Decided inside a step, so that closing the client cannot give it back meanwhile. */
    void startUse(Lease lease) {
        AtomicBoolean isBegun = new AtomicBoolean();
        stepAndTell((engine, now) -> {
            engine.renewals.due(lease, now); // It may have ended a moment ago, unnoticed.
            isBegun.set(lease.tryBeginUse());
        });
        if (!isBegun.get()) {
            lease.markLossTold();
            throw lost(lease);
        }
    }

    /** Renews on behalf of a caller who waits for it. */
    void renew(Lease lease, @Nullable Duration ttl) {
        CompletableFuture<Void> done = startRenewing(lease, ttl, lease);
        RuntimeException failure = null;
        try {
            await(done);
        } catch (RuntimeException e) {
            failure = e;
        }
        try {
            renewed(lease, failure);
        } catch (LeaseLostException e) {
            lease.markLossTold();
            throw e;
        }
    }

    /** Renews on behalf of a caller who goes on meanwhile. */
    CompletableFuture<Instant> renewAsync(Lease lease, @Nullable Duration ttl) {
        CompletableFuture<Void> done = startRenewing(lease, ttl, null);
        return handedOut(done.handle((nothing, failure) -> {
            renewed(lease, failure);
            return lease.expiresAt();
        }));
    }

    private CompletableFuture<Void> startRenewing(Lease lease, @Nullable Duration ttl, @Nullable Object subject) {
        if (ttl != null) {
            checkTtl(lease.key(), LeaseOptions.defaults().withTtl(ttl).ttl());
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        step((engine, now) -> engine.renewals.renewNow(lease, ttl, done, now), subject);
        return done;
    }

    /** A renewal by hand is over. Returns if the lease was renewed, and throws what its caller is told if not. */
    private static void renewed(Lease lease, @Nullable Throwable failure) {
        if (failure instanceof StoreUnsupportedException) {
            throw new LeaseException(
                    LeaseException.Code.RENEWAL_FAILED,
                    lease.key(),
                    failure.getMessage() + " The lease goes on with the TTL that it has: key " + lease.key() + ".",
                    failure,
                    false);
        }
        if (failure != null && !lease.state().isFinal()) {
            throw new LeaseException(
                    LeaseException.Code.RENEWAL_FAILED,
                    lease.key(),
                    "The store did not answer a renewal; it goes on in the background: key " + lease.key() + ".",
                    failure);
        }
        if (lease.state().isFinal()) {
            throw lost(lease);
        }
    }

    /** Decides about a lease that does not look valid: lost by now, or merely to be asked about after a sleep. */
    void confirm(Lease lease) {
        for (int i = 0; i < MOST_CONFIRMATIONS && !lease.isValid(); i++) {
            stepAndTell((engine, now) -> engine.renewals.suspect(lease, now));
            if (lease.state() == LeaseState.SUSPECT) {
                renew(lease, null);
            }
        }
        if (!lease.isValid()) {
            stepAndTell((engine, now) -> {});
            if (lease.state().isFinal()) {
                lease.markLossTold();
                throw lost(lease);
            }
            throw notConfirmed(lease);
        }
    }

    private static LeaseException notConfirmed(Lease lease) {
        return new LeaseException(
                LeaseException.Code.RENEWAL_FAILED,
                lease.key(),
                "The clock of this process was set during each of " + MOST_CONFIRMATIONS
                        + " renewals, so none of them counts; the client goes on renewing. Ask again before the work goes on: key "
                        + lease.key() + ".",
                null);
    }

    private static LeaseLostException lost(Lease lease) {
        return new LeaseLostException(
                lease.key(),
                "The lease on " + lease.key() + " " + lease.howItEnded()
                        + ". Stop, change nothing more, and acquire a new one to go on.");
    }

    private void tick() {
        lock.lock();
        try {
            alarmAt = Long.MAX_VALUE; // It has rung, so it must be set anew whatever comes next.
            againAt = Long.MAX_VALUE;
        } finally {
            lock.unlock();
        }
        try {
            Outbox outbox = stepEngine((engine, now) -> {});
            carryOut(outbox, outbox.asks());
            runAll(heldResults.takeOverdue(clockwork.now().nanos()));
            handOnErrands();
        } catch (Throwable e) {
            ringAgain();
            throw e;
        }
        stopKeeperIfDone();
    }

    /** All threads may be busy for long. That is no failure of the keeper's, and is said once until it is over. */
    private void handOnErrands() {
        try {
            errands.handOn();
            areThreadsBusy = false;
        } catch (RejectedExecutionException e) {
            if (!areThreadsBusy) {
                areThreadsBusy = true;
                Log.warn(
                        "All threads for requests, or for callbacks of the application, are busy. What waits for one goes on"
                                + " as soon as one is free. Let callbacks return sooner.",
                        null);
            }
            ringAgain();
        }
    }

    /** Every lease hangs on the alarm: if a step failed, perhaps for want of a thread or memory, it rings again soon. */
    private void ringAgain() {
        lock.lock();
        try {
            // Counted from the last step: reading the clock may be what failed.
            steppedAt += SECOND_WIND.toNanos();
            ringAt(steppedAt);
        } finally {
            lock.unlock();
        }
    }

    private void ringSoon() {
        ringAt(clockwork.now().nanos() + SECOND_WIND.toNanos());
    }

    private void ringAt(long moment) {
        lock.lock();
        try {
            againAt = Math.min(againAt, moment);
            setAlarm();
        } finally {
            lock.unlock();
        }
    }

    /** Guarded by the lock. */
    private void setAlarm() {
        reviveKeeper();
        long next = Math.min(engine.nextDue(), againAt);
        if (next != alarmAt) {
            alarmAt = next;
            alarm.setFor(next);
        }
    }

    /** A holder may settle or release after the client was closed, and must not wait for ever either. */
    private void reviveKeeper() {
        if (isKeeperGone && (engine.agenda.isAwaited() || againAt != Long.MAX_VALUE)) {
            try {
                alarm = clockwork.newAlarm(this::tick);
                alarmAt = Long.MAX_VALUE;
                isKeeperGone = false;
            } catch (Throwable e) {
                Log.warn("A closed lease client found no thread for its keeper; its next step tries again", e);
            }
        }
    }

    /**
     * Takes one step, and does what it asks for.
     *
     * @param subject if given, asks on its behalf are made by this thread, which waits for them anyway
     */
    void step(LeaseEngine.Input input, @Nullable Object subject) {
        Deque<LeaseEngine.Input> inputs = new ArrayDeque<>();
        inputs.add(input);
        for (LeaseEngine.Input next = inputs.poll(); next != null; next = inputs.poll()) {
            Outbox outbox = stepEngine(next);
            List<Ask<?>> own = new ArrayList<>(1);
            List<Ask<?>> others = new ArrayList<>(0);
            for (Ask<?> ask : outbox.asks()) {
                (ask.subject() == subject && isPrompt(ask) ? own : others).add(ask);
            }
            carryOut(outbox, others);
            stopKeeperIfDone();
            own.forEach(ask -> inputs.add(perform(ask)));
        }
    }

    /** Takes one step that asks the store nothing. If listeners go first, they have heard of it when this returns. */
    void stepAndTell(LeaseEngine.Input input) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        step(
                (engine, now) -> {
                    input.apply(engine, now);
                    engine.outbox().afterwards(() -> told.complete(null));
                },
                null);
        await(told);
    }

    /**
     * Does what a step wants done, each thing although another failed. Results come first, events last, unless listeners
     * are to hear of a result before it is known. None of it runs code of the user's on this thread, which may be the
     * keeper, or inside a call of a store that holds a connection.
     */
    private void carryOut(Outbox outbox, List<Ask<?>> asks) {
        boolean isTold = areListenersFirst && events.isHeard(outbox.events());
        // First, because a caller that has its result may close the client, and with it the history.
        records.deliver(Runnable::run);
        runAll(outbox.atOnce());
        if (!isTold) {
            runAll(outbox.afterwards());
        }
        try {
            send(asks);
        } finally {
            if (isTold) {
                tellFirst(outbox.afterwards());
            } else if (!areListenersFirst) {
                events.deliver(errands);
            }
        }
    }

    /** If no thread is free to tell the listeners, the keeper looks for one, and passes the results on in time. */
    private void tellFirst(List<Runnable> results) {
        HeldResults.Batch batch = heldResults.hold(results, clockwork.now().nanos());
        errands.execute(() -> {
            List<Runnable> waiting = heldResults.take(batch);
            events.deliverHere();
            runAll(waiting);
        });
    }

    private static void runAll(List<Runnable> tasks) {
        for (Runnable task : tasks) {
            try {
                task.run();
            } catch (Throwable e) {
                Log.warn("Could not complete the result of a lease call", e);
            }
        }
    }

    private boolean isPrompt(Ask<?> ask) {
        Duration limit =
                ask.subject() instanceof Call call ? call.options.attemptLimit() : LeaseOptions.DEFAULT_ATTEMPT_LIMIT;
        return store.longestCall().compareTo(limit) <= 0;
    }

    private Outbox stepEngine(LeaseEngine.Input input) {
        lock.lock();
        try {
            Moment now = clockwork.now();
            steppedAt = now.nanos();
            Outbox outbox = engine.step(input, now);
            records.post(outbox.events());
            events.post(outbox.events());
            return outbox;
        } finally {
            setAlarm();
            lock.unlock();
        }
    }

    /** Asks on the caller's thread. An interrupt is meant for the caller's work, not for the store's connection. */
    private <T> LeaseEngine.Input perform(Ask<T> ask) {
        boolean wasInterrupted = Uninterrupted.take();
        try {
            T result = ask(ask);
            return (engine, now) -> ask.answered(result, now);
        } catch (Throwable cause) {
            return (engine, now) -> ask.failed(cause, now);
        } finally {
            if (wasInterrupted) {
                Uninterrupted.giveBack();
            }
        }
    }

    private <T> T ask(Ask<T> ask) {
        if (ask.subject() instanceof Call call
                && call.isInLine()
                && mustAskAgainForWakeUps.compareAndSet(true, false)) {
            errands.execute(this::subscribe);
        }
        return ask.perform(store);
    }

    /** All of them, although one fails. */
    private void send(List<Ask<?>> asks) {
        for (int i = 0; i < asks.size(); i++) {
            try {
                send(asks.get(i));
            } catch (Throwable e) {
                send(asks.subList(i + 1, asks.size()));
                throw e;
            }
        }
    }

    private <T> void send(Ask<T> ask) {
        errands.call(() -> ask(ask), new Clockwork.Reply<T>() {
            @Override
            public void answered(T result) {
                step((engine, now) -> ask.answered(result, now), null);
            }

            @Override
            public void failed(Throwable cause) {
                step((engine, now) -> ask.failed(cause, now), null);
            }
        });
    }

    /** Waits for something that the engine ends in good time by itself. */
    <T> T await(CompletableFuture<T> future) {
        Parking.untilDone(future);
        try {
            return future.join();
        } catch (CompletionException e) {
            throw rethrown(e.getCause());
        }
    }

    private static RuntimeException rethrown(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException exception ? exception : new CompletionException(cause);
    }
}
