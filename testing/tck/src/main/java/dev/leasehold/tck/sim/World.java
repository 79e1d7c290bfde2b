package dev.leasehold.tck.sim;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Everything that one simulated run consists of, and the queue of what happens next. */
final class World {
    static final long EPOCH_MICROS = 1_767_225_600_000_000L;

    final Random random;
    final Sabotage sabotage;
    final LeaseStore store;
    final History history = new History();
    final Coverage coverage = new Coverage();
    final List<Violation> violations = new ArrayList<>();
    final Oracles oracles;
    final Wire wire;
    final Resource resource;
    final Set<SimFault> faults;
    final List<SimClient> clients = new ArrayList<>();
    /** What clients do instead of holding a lock; {@code null} if that is what they do. */
    final @Nullable SimRuns runs;
    /** Whether clients keep a lease on a key of their own besides, and renew by hand now and then. */
    final boolean areBusy;

    private final PriorityQueue<Event> queue =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::sequence));
    private long now;
    private long sequence;
    private static final Duration FARTHEST_STEP = Duration.ofSeconds(10);

    private long storeShiftMicros;
    private long storeStepMicros;
    private long storeClockSetBackAt = Long.MIN_VALUE / 2;
    private long storeClockSetForwardAt = Long.MIN_VALUE / 2;
    private boolean isCalm;

    private record Event(long at, long sequence, Runnable work) {}

    World(long seed, Set<SimFault> allowed, Sabotage sabotage, boolean areRuns) {
        this.random = new Random(seed);
        this.sabotage = sabotage;
        this.faults = EnumSet.noneOf(SimFault.class);
        for (SimFault fault : SimFault.values()) {
            // Drawn for every fault, so that switching one off changes nothing else.
            boolean isDrawn = random.nextInt(4) > 0;
            if (isDrawn && allowed.contains(fault)) {
                faults.add(fault);
            }
        }
        if (faults.contains(SimFault.STORE_CLOCK_BACK)) {
            // What was purged cannot help a clock that is then set back by more than it was kept for.
            faults.remove(SimFault.PURGE);
        }
        this.store = sabotage.store(new MemoryLeaseStore(this::storeMicros), this::storeMicros);
        this.oracles = new Oracles(this);
        this.runs = areRuns ? new SimRuns(this) : null;
        this.areBusy = random.nextInt(4) == 0 && !areRuns;
        this.wire = new Wire(this);
        this.resource = new Resource(this);
    }

    long now() {
        return now;
    }

    long storeMicros() {
        return EPOCH_MICROS + now / 1_000 + storeShiftMicros + storeStepMicros;
    }

    /** Sets the store's clock forward or back, never farther than ten seconds from where it would be without steps. */
    void stepStoreClock() {
        long most = FARTHEST_STEP.toMillis();
        long step = millis(0, 2 * most) / 1_000 - most * 1_000;
        if (step < storeStepMicros) {
            storeClockSetBackAt = now;
        } else {
            storeClockSetForwardAt = now;
        }
        storeStepMicros = step;
    }

    /**
     * For how long records must be kept so that no lease is forgotten whose lock delay is not over, and no fence that the
     * clock may come back to.
     */
    Duration retained() {
        return faults.contains(SimFault.STORE_CLOCK_STEP)
                ? FARTHEST_STEP.multipliedBy(3)
                : Duration.ofMillis(SimClient.LONGEST_LOCK_DELAY);
    }

    /** When the store's clock was last set forward; long ago if never. */
    long storeClockSetForwardAt() {
        return storeClockSetForwardAt;
    }

    void setStoreClockBack(Duration by) {
        storeShiftMicros -= by.toNanos() / 1_000;
        storeClockSetBackAt = now;
    }

    /** When that was done last; long ago if never. */
    long storeClockSetBackAt() {
        return storeClockSetBackAt;
    }

    /** No more faults from now on. */
    void calm() {
        isCalm = true;
    }

    boolean isCalm() {
        return isCalm;
    }

    /** Whether the fault strikes now, with this probability. Counted if so. */
    boolean strikes(SimFault fault, double probability) {
        boolean isDrawn = random.nextDouble() < probability;
        if (isDrawn && !isCalm && faults.contains(fault)) {
            coverage.count("fault " + fault);
            return true;
        }
        return false;
    }

    void at(long time, Runnable work) {
        queue.add(new Event(Math.max(time, now), sequence++, work));
    }

    void after(long delay, Runnable work) {
        at(now + delay, work);
    }

    /** A random time between two numbers of milliseconds, in nanoseconds. */
    long millis(long least, long most) {
        return 1_000_000 * (least + random.nextInt((int) (most - least + 1)));
    }

    void note(HistoryEvent.Kind kind, String client, String nonce, long fence, long until) {
        history.add(new HistoryEvent(now, kind, client, WireRequest.KEY.value(), nonce, fence, until));
    }

    void violated(String promise, String what) {
        violations.add(new Violation(promise, "at " + now / 1_000_000 + " ms, " + what));
    }

    /** Runs until that time, or until a promise is broken. */
    void runUntil(long end) {
        for (Event next = queue.peek(); next != null && next.at() <= end; next = queue.peek()) {
            queue.remove();
            now = next.at();
            next.work().run();
            oracles.checkHolders();
            if (!violations.isEmpty()) {
                return;
            }
        }
        now = end;
    }
}
