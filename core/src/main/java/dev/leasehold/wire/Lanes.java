package dev.leasehold.wire;

import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A few lanes to a server, each of them a connection, and the queue for them.
 *
 * <p>Calls batch by themselves: one that finds a lane free goes alone and at once; those that find none queue, and the
 * next lane that comes free takes along everything in the queue that can go in the same trip. No timer, no delay when
 * alone, and the busier it is, the more goes in one trip. Safe for use by many threads.
 *
 * @param <L> a connection, ready for use; used by one thread at a time
 * @param <E> how the server's driver fails
 */
public final class Lanes<L extends Lanes.Lane, E extends Exception> implements AutoCloseable {
    private static final int MOST_TOGETHER = 128;
    private static final int MOST_YIELDS = 4;
    private static final Duration SHORTEST_LIMIT = Duration.ofMillis(100);
    /** Drivers count milliseconds in an int. */
    private static final Duration LONGEST_LIMIT = Duration.ofDays(1);

    private final LaneSource<L, E> source;
    private final int most;
    private final int mostForBatches;
    private final Duration longestWait;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<L> idle = new ArrayDeque<>();
    private final Deque<Ticket> queue = new ArrayDeque<>();
    /** Those that open a lane now. They take one that comes free first. */
    private final Deque<Ticket> opening = new ArrayDeque<>();

    private int open;
    private int busyWithBatches;
    private boolean isAsideBusy;
    private boolean isClosed;
    private volatile int lastTogether;

    /**
     * Opens nothing yet.
     *
     * @param most how many lanes there may be
     * @param mostForBatches how many of them are for what can go together
     * @param longestWait how long a call may wait for a lane, the opening included
     */
    public Lanes(LaneSource<L, E> source, int most, int mostForBatches, Duration longestWait) {
        this.source = source;
        this.most = most;
        this.mostForBatches = mostForBatches;
        this.longestWait = longestWait;
    }

    /**
     * What users may say of how many lanes there are.
     *
     * @throws IllegalArgumentException if it is too few
     */
    public static int checkMost(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("At least one connection is needed, not " + most + ".");
        }
        return most;
    }

    /**
     * What users may say of how long a call may take.
     *
     * @throws IllegalArgumentException if it is too short or too long
     */
    public static Duration checkLimit(Duration limit) {
        if (limit.compareTo(SHORTEST_LIMIT) < 0 || limit.compareTo(LONGEST_LIMIT) > 0) {
            throw new IllegalArgumentException("A call needs at least 100 ms, and at most a day, not " + limit + ".");
        }
        return limit;
    }

    /** A connection. */
    public interface Lane extends AutoCloseable {
        /** Says until when, by {@link System#nanoTime}, the work may take that is done on it next. */
        default void begin(long end) {}

        /** Gives up the connection, without complaint. */
        @Override
        void close();
    }

    /** Something done on a lane. */
    public interface Work<L, T, E extends Exception> {
        T run(L lane) throws E;
    }

    /** Opens connections and makes them ready, and knows what their errors mean. */
    public interface LaneSource<L, E extends Exception> {
        /**
         * Opens a new lane.
         *
         * @param atMost how long the call waits for it
         * @param isServed becomes true when the call is given another lane first; its thread is unparked then
         * @param taker is given the new lane if it is opened after that, or nothing if it cannot be opened
         * @return null if the call was given another lane first
         * @throws E if the lane cannot be opened, or not in time
         */
        @Nullable
        L open(Duration atMost, BooleanSupplier isServed, Consumer<Optional<L>> taker) throws E;

        /** What the driver throws: all else that a call throws costs it its lane. */
        Class<E> errors();

        /** Whether a lane can be used on although this happened on it. */
        boolean isHarmless(E error, L lane);

        /** Whether it is likely that all other connections are lost too. */
        boolean isLost(E error);

        /** What the lanes are, for the message to those who got none, such as {@code database connections}. */
        String plural();

        /** Nothing more will be opened. */
        default void close() {}
    }

    /** Requests of one kind, which can go together in one trip if their keys differ. */
    public interface Batch<L, Q, R, E extends Exception> {
        Object key(Q request);

        R alone(L lane, Q request) throws E;

        /** The answers in the order of the requests; empty for one that must go alone. */
        List<Optional<R>> together(L lane, List<Q> requests) throws E;
    }

    /** What became of a call in the queue. */
    private enum Turn {
        WAITING,
        /** It may go: on the lane it was given, or on one that it opens. */
        GO,
        /** Somebody else did the asking. */
        ANSWERED,
        /** It waited for as long as it may. */
        GAVE_UP,
        /** The lanes were closed first. */
        CLOSED
    }

    /**
     * A place in the queue. Its owner reads what it was given once it has seen its turn; it is woken without having to
     * queue for the lock again, as it would for a condition.
     */
    private final class Ticket {
        private final Thread owner = Thread.currentThread();
        /** Until when the call may take. */
        private final long until;
        /** Until when it may wait for a lane. */
        private final long end;

        private final @Nullable Batch<L, ?, ?, E> batch;
        private final @Nullable Object request;
        private final boolean isAside;
        private volatile Turn turn = Turn.WAITING;
        private volatile @Nullable L lane;
        private @Nullable Object answer;
        private @Nullable Throwable failure;

        Ticket(@Nullable Batch<L, ?, ?, E> batch, @Nullable Object request, boolean isAside, long until) {
            this.until = until;
            this.end = workEnd(until);
            this.batch = batch;
            this.request = request;
            this.isAside = isAside;
        }

        void go(@Nullable L given) {
            lane = given;
            take(Turn.GO);
        }

        void end(@Nullable Object result, @Nullable Throwable cause) {
            answer = result;
            failure = cause;
            take(Turn.ANSWERED);
        }

        void take(Turn next) {
            turn = next;
            LockSupport.unpark(owner);
        }

        long left() {
            return end - System.nanoTime();
        }

        /** Whether little time is left for the work: those who went along would have no more. */
        boolean isShort() {
            return until - System.nanoTime() < longestWait.toNanos() / 2;
        }
    }

    /** Does the work on a lane of its own, once there is one. */
    public <T> T run(Work<L, T, E> work) throws E {
        return run(work, longest());
    }

    /**
     * The same within a call that may take until then, by {@link System#nanoTime}: the wait for a lane, and the work on it,
     * take no longer than the longest wait each, and end by then.
     */
    public <T> T run(Work<L, T, E> work, long until) throws E {
        return run(work, false, until);
    }

    /** The same for work that may take long: one at a time, so that it leaves the other lanes to everybody else. */
    public <T> T runAside(Work<L, T, E> work, long until) throws E {
        return run(work, true, until);
    }

    /** The same for a call that has just begun. */
    public <T> T runAside(Work<L, T, E> work) throws E {
        return runAside(work, longest());
    }

    private <T> T run(Work<L, T, E> work, boolean isAside, long until) throws E {
        Ticket ticket = new Ticket(null, null, isAside, until);
        enter(ticket);
        return runOn(ticket, until, work);
    }

    private long longest() {
        return System.nanoTime() + 2 * longestWait.toNanos();
    }

    private long workEnd(long until) {
        long now = System.nanoTime();
        return now + Math.min(longestWait.toNanos(), until - now);
    }

    /** Asks alone or together with others, as it comes. */
    public <Q, R> R run(Batch<L, Q, R, E> batch, Q request) throws E {
        return run(batch, request, longest());
    }

    /** The same within a call that may take until then. */
    @SuppressWarnings("unchecked") // A ticket holds what its own batch takes and gives.
    public <Q, R> R run(Batch<L, Q, R, E> batch, Q request, long until) throws E {
        Ticket ticket = new Ticket(batch, request, false, until);
        enter(ticket);
        if (ticket.turn == Turn.ANSWERED) {
            return ticket.answer != null ? (R) ticket.answer : unanswered(ticket, batch, request);
        }
        awaitCompany();
        List<Ticket> others = companions(ticket, batch);
        lastTogether = others.size() + 1;
        if (others.isEmpty()) {
            return runOn(ticket, until, lane -> batch.alone(lane, request));
        }
        return lead(ticket, others, batch, request);
    }

    /** What to do if a batch gave no answer: go alone, unless it failed. */
    private <Q, R> R unanswered(Ticket ticket, Batch<L, Q, R, E> batch, Q request) throws E {
        Throwable failure = ticket.failure;
        if (source.errors().isInstance(failure)) {
            throw source.errors().cast(failure);
        } else if (failure != null) {
            throw new StoreUnavailableException("The request went with others and failed: " + failure, failure);
        }
        return run(lane -> batch.alone(lane, request), ticket.until);
    }

    @SuppressWarnings("unchecked")
    private <Q, R> R lead(Ticket own, List<Ticket> others, Batch<L, Q, R, E> batch, Q request) throws E {
        List<Q> requests = new ArrayList<>(others.size() + 1);
        requests.add(request);
        long until = own.until;
        for (Ticket other : others) {
            requests.add((Q) other.request);
            until = other.until - until < 0 ? other.until : until;
        }
        List<Optional<R>> answers;
        try {
            answers = runOn(own, until, lane -> batch.together(lane, requests));
        } catch (Throwable e) {
            end(others, List.of(), e);
            throw e;
        }
        end(others, answers, null);
        Optional<R> answer = answers.get(0);
        return answer.isPresent() ? answer.get() : run(lane -> batch.alone(lane, request), own.until);
    }

    private <R> void end(List<Ticket> others, List<Optional<R>> answers, @Nullable Throwable failure) {
        for (int i = 0; i < others.size(); i++) {
            others.get(i).end(failure != null ? null : answers.get(i + 1).orElse(null), failure);
        }
    }

    /**
     * Those who got their answers together come back together, but a moment apart: whoever is first lets the others run
     * for that moment. Nobody waits who was alone the last time.
     */
    @SuppressWarnings("ThreadPriorityCheck") // A hint is all it is meant to be.
    private void awaitCompany() {
        for (int i = 0; i < MOST_YIELDS && queued() + 1 < lastTogether; i++) {
            Thread.yield();
        }
    }

    private int queued() {
        lock.lock();
        try {
            return queue.size();
        } finally {
            lock.unlock();
        }
    }

    /** Takes everything out of the queue that can go together with this one. Calls with little time left go alone. */
    private List<Ticket> companions(Ticket own, Batch<L, ?, ?, E> batch) {
        List<Ticket> others = new ArrayList<>();
        if (own.isShort()) {
            return others;
        }
        Set<Object> keys = new HashSet<>();
        keys.add(key(own));
        lock.lock();
        try {
            Iterator<Ticket> waiting = queue.iterator();
            while (waiting.hasNext() && others.size() + 1 < MOST_TOGETHER) {
                Ticket other = waiting.next();
                if (other.batch == batch && !other.isShort() && keys.add(key(other))) {
                    waiting.remove();
                    others.add(other);
                }
            }
        } finally {
            lock.unlock();
        }
        return others;
    }

    @SuppressWarnings("unchecked")
    private Object key(Ticket ticket) {
        Batch<L, Object, Object, E> batch = (Batch<L, Object, Object, E>) ticket.batch;
        return batch == null || ticket.request == null ? ticket : batch.key(ticket.request);
    }

    private <T> T runOn(Ticket ticket, long until, Work<L, T, E> work) throws E {
        L lane = ticket.lane;
        boolean isGood = false;
        boolean isLost = false;
        try {
            if (lane == null) {
                lane = openOrTake(ticket);
            }
            lane.begin(workEnd(until));
            T result = Carriers.run(work, lane);
            isGood = true;
            return result;
        } catch (Exception e) {
            if (source.errors().isInstance(e)) {
                E error = source.errors().cast(e);
                isGood = lane != null && source.isHarmless(error, lane);
                isLost = source.isLost(error);
            }
            throw e;
        } finally {
            leave(ticket, lane, isGood);
            if (isLost) {
                closeIdle();
            }
        }
    }

    /** The lane that this call opens, or one that came free first. */
    private L openOrTake(Ticket ticket) throws E {
        L free = takeIdleOrBeginOpening(ticket);
        if (free != null) {
            return free;
        }
        L opened;
        try {
            opened =
                    source.open(Duration.ofNanos(Math.max(0, ticket.left())), () -> ticket.lane != null, this::arrived);
        } catch (Throwable e) {
            L given = given(ticket);
            if (given == null) {
                throw e;
            }
            arrived(Optional.empty());
            return given;
        }
        L given = given(ticket);
        if (given == null) {
            return Objects.requireNonNull(opened);
        }
        if (opened != null) {
            arrived(Optional.of(opened));
        }
        return given;
    }

    /**
     * The lane that the call may open counts as open since its turn came. If another lane came free since then, the call
     * takes that one, and its own no longer counts.
     *
     * @return null if the call must open its lane
     */
    private @Nullable L takeIdleOrBeginOpening(Ticket ticket) {
        lock.lock();
        try {
            L free = idle.poll();
            if (free == null) {
                opening.add(ticket);
            } else {
                open--;
            }
            return free;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait for the lane that the call opens. */
    private @Nullable L given(Ticket ticket) {
        lock.lock();
        try {
            opening.remove(ticket);
            return ticket.lane;
        } finally {
            lock.unlock();
        }
    }

    /** Takes over a lane whose caller got another one first, or frees its place if opening failed. */
    private void arrived(Optional<L> lane) {
        boolean isKept;
        lock.lock();
        try {
            isKept = lane.isPresent() && !isClosed;
            if (isKept) {
                idle.push(lane.get());
            } else {
                open--;
            }
            startNext();
        } finally {
            lock.unlock();
        }
        if (!isKept) {
            lane.ifPresent(Lane::close);
        }
    }

    /** If one connection was lost, so were the others, most likely: each would cost a call that fails. */
    private void closeIdle() {
        List<L> closing;
        lock.lock();
        try {
            closing = List.copyOf(idle);
            idle.clear();
            open -= closing.size();
        } finally {
            lock.unlock();
        }
        closing.forEach(Lane::close);
    }

    /** Whether a call would find an open lane that nobody uses. */
    public boolean isOpen() {
        lock.lock();
        try {
            return !idle.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Whether a call would find a lane at once, or could open one. */
    public boolean isFree() {
        lock.lock();
        try {
            return !idle.isEmpty() || open < most;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a lane, or for somebody who does the asking. */
    private void enter(Ticket ticket) {
        lock.lock();
        try {
            if (isClosed) {
                throw closed();
            }
            if (mayGo(ticket)) {
                start(ticket);
                return;
            }
            queue.add(ticket);
        } finally {
            lock.unlock();
        }
        await(ticket);
    }

    /**
     * At most {@code mostForBatches} lanes carry batches: the fewer, the more calls go in each. Slow work uses one lane at a
     * time, so that it holds up no other call.
     */
    private boolean mayGo(Ticket ticket) {
        boolean isRoom = open - idle.size() < most;
        return isRoom && (ticket.batch == null || busyWithBatches < mostForBatches) && !(ticket.isAside && isAsideBusy);
    }

    /** Gives the ticket a lane, or lets it open one. */
    private void start(Ticket ticket) {
        if (idle.isEmpty()) {
            open++;
        }
        count(ticket, true);
        ticket.go(idle.poll());
    }

    private void count(Ticket ticket, boolean isStarting) {
        if (ticket.batch != null) {
            busyWithBatches += isStarting ? 1 : -1;
        }
        if (ticket.isAside) {
            isAsideBusy = isStarting;
        }
    }

    /** Gives idle lanes to the calls that open one, and lets those in the queue go that may. */
    private void startNext() {
        while (!idle.isEmpty() && !opening.isEmpty()) {
            opening.remove().go(idle.poll()); // What it opens is for others.
        }
        for (Ticket next = next(); next != null; next = next()) {
            start(next);
        }
    }

    /** Takes the first out of the queue that may go now. */
    private @Nullable Ticket next() {
        Iterator<Ticket> waiting = queue.iterator();
        while (waiting.hasNext()) {
            Ticket ticket = waiting.next();
            if (mayGo(ticket)) {
                waiting.remove();
                return ticket;
            }
        }
        return null;
    }

    private static StoreUnavailableException closed() {
        return new StoreUnavailableException("The store was closed.");
    }

    private void await(Ticket ticket) {
        boolean wasInterrupted = false;
        boolean isTaken = false; // Somebody is asking on its behalf, and will have an answer soon.
        while (ticket.turn == Turn.WAITING) {
            long left = isTaken ? Long.MAX_VALUE : ticket.left();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
                // Calls are short; a caller that waits for a lease is woken otherwise.
                wasInterrupted |= Uninterrupted.take();
            } else {
                isTaken = !isWithdrawn(ticket);
            }
        }
        if (wasInterrupted) {
            Uninterrupted.giveBack();
        }
        if (ticket.turn == Turn.CLOSED) {
            throw closed();
        }
        if (ticket.turn == Turn.GAVE_UP) {
            throw new StoreUnavailableException("All " + most + " of Leasehold's " + source.plural() + " were busy for "
                    + longestWait.toMillis() + " ms.");
        }
    }

    /** Gives up, unless its turn has come or somebody has taken it along. */
    private boolean isWithdrawn(Ticket ticket) {
        lock.lock();
        try {
            boolean isQueued = queue.remove(ticket);
            if (isQueued) {
                ticket.turn = Turn.GAVE_UP;
            }
            return isQueued;
        } finally {
            lock.unlock();
        }
    }

    private void leave(Ticket ticket, @Nullable L lane, boolean isGood) {
        boolean isKept = false;
        lock.lock();
        try {
            count(ticket, false);
            if (lane != null && isGood && !isClosed) {
                isKept = true;
                idle.push(lane);
            } else {
                open--;
            }
            startNext();
        } finally {
            lock.unlock();
        }
        if (lane != null && !isKept) {
            lane.close();
        }
    }

    @Override
    public void close() {
        List<L> closing;
        lock.lock();
        try {
            isClosed = true;
            closing = List.copyOf(idle);
            idle.clear();
            queue.forEach(ticket -> ticket.take(Turn.CLOSED));
            queue.clear();
        } finally {
            lock.unlock();
        }
        closing.forEach(Lane::close);
        source.close();
    }
}
