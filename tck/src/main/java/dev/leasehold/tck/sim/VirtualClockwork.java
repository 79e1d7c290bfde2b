package dev.leasehold.tck.sim;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
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
        monotonicBase = monotonic();
        isFrozen = true;
    }

    void thaw() {
        worldBase = world.now();
        isFrozen = false;
    }

    void shiftWall(long micros) {
        wallShiftMicros += micros;
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
