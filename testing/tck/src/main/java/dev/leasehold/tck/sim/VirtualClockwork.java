package dev.leasehold.tck.sim;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** The clocks of one life of one client: they run at a rate of their own, and may stop or be set. */
final class VirtualClockwork implements Clockwork {
    private final World world;
    private final SimClient.Life life;
    private final double rate;
    private long monotonicBase = 1_000_000_000L;
    private long worldBase;
    private long wallShiftMicros;
    private boolean isFrozen;
    private long frozenAt;
    private long sleptMicros;
    private final Deque<Level> levels = new ArrayDeque<>();

    /** How far the wall clock was ahead of the monotonic one until some moment, and how long the client had slept. */
    private record Level(long untilNanos, long offsetMicros, long sleptMicros) {}

    VirtualClockwork(World world, SimClient.Life life, double rate) {
        this.world = world;
        this.life = life;
        this.rate = rate;
        this.worldBase = world.now();
    }

    private long monotonic() {
        return isFrozen ? monotonicBase : monotonicBase + (long) ((world.now() - worldBase) * rate);
    }

    /** The monotonic clock stands still, as in a suspended machine. */
    void freeze() {
        levels.addLast(level());
        monotonicBase = monotonic();
        frozenAt = world.now();
        isFrozen = true;
    }

    void thaw() {
        sleptMicros += (world.now() - frozenAt) / 1_000;
        worldBase = world.now();
        isFrozen = false;
        hideNoSleep();
    }

    boolean isFrozen() {
        return isFrozen;
    }

    /** Sets the wall clock forward or back: by less than a second, by seconds, or by an hour. */
    void stepWall() {
        levels.addLast(level());
        long micros = switch (world.random.nextInt(3)) {
            case 0 -> world.millis(20, 900) / 1_000;
            case 1 -> world.millis(1_000, 20_000) / 1_000;
            default -> 3_600_000_000L;
        };
        wallShiftMicros += world.random.nextBoolean() ? micros : -micros;
        hideNoSleep();
    }

    private Level level() {
        Moment now = now();
        return new Level(now.nanos(), now.wallMicros() - now.nanos() / 1_000, sleptMicros);
    }

    /**
     * A sleep and a step of the wall clock that make up for each other leave no trace on any clock of the machine, and
     * nobody can promise anything then (P4). Steps a little farther in that case.
     */
    private void hideNoSleep() {
        while (!levels.isEmpty() && levels.getFirst().untilNanos() < monotonic() - 2 * SimClient.TTL.toNanos()) {
            levels.removeFirst();
        }
        while (levels.stream().anyMatch(this::hidesSleepSince)) {
            wallShiftMicros += 400_000;
        }
    }

    private boolean hidesSleepSince(Level before) {
        Level now = level();
        long slept = now.sleptMicros() - before.sleptMicros();
        long shown = now.offsetMicros() - before.offsetMicros();
        return slept > 0 && Math.abs(shown) < 150_000 && Math.abs(slept - shown) > 100_000;
    }

    /** How much world time passes while this clock counts so many nanoseconds. */
    long inWorldTime(long nanos) {
        return (long) Math.ceil(nanos / rate);
    }

    @Override
    public Moment now() {
        return new Moment(monotonic(), World.EPOCH_MICROS + world.now() / 1_000 + wallShiftMicros);
    }

    @Override
    public Alarm newAlarm(Runnable task) {
        return new VirtualAlarm(task);
    }

    @Override
    public void dispatch(Runnable task) {
        world.after(1_000, () -> life.whenAwake(task));
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        world.wire.send(life, life.view().capture(verb), reply);
    }

    @Override
    public Subscription atExit(Runnable task) {
        return () -> {};
    }

    private final class VirtualAlarm implements Alarm {
        private final Runnable task;
        private long at = Long.MAX_VALUE;

        VirtualAlarm(Runnable task) {
            this.task = task;
        }

        @Override
        public void setFor(long nanos) {
            at = nanos;
            schedule();
        }

        private void schedule() {
            long set = at;
            if (set != Long.MAX_VALUE) {
                world.after(inWorldTime(Math.max(0, set - monotonic())), () -> life.whenAwake(() -> ring(set)));
            }
        }

        private void ring(long set) {
            if (at != set) {
                return;
            }
            if (monotonic() < at) {
                schedule();
                return;
            }
            at = Long.MAX_VALUE;
            task.run();
        }

        @Override
        public void close() {
            at = Long.MAX_VALUE;
        }
    }
}
