package dev.leasehold.tck;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until a test moves it. Nothing runs in the background: what becomes due is done by the thread
 * that calls {@link #advance}, in order, before that returns, and store calls are made at once on the calling thread.
 *
 * <p>There are three clocks, as in life: this process's monotonic one, its wall clock, and the store's. They go
 * together unless a test sets one apart.
 */
public final class ManualTime implements Clockwork {
    /** 2026-01-01, so that fences look as they will. */
    private static final long EPOCH_MICROS = 1_767_225_600_000_000L;

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::sequence));
    private long nanos;
    private long wallShiftMicros;
    private long storeShiftMicros;
    private long sequence;

    private record Task(long at, long sequence, Runnable work) {}

    @Override
    public synchronized Moment now() {
        return new Moment(nanos, EPOCH_MICROS + nanos / 1_000 + wallShiftMicros);
    }

    /** The store's clock, to be given to the store under test. */
    public LongSupplier storeClock() {
        return () -> {
            synchronized (this) {
                return EPOCH_MICROS + nanos / 1_000 + storeShiftMicros;
            }
        };
    }

    /** Lets time pass on all clocks, and does everything that becomes due on the way. */
    public void advance(Duration time) {
        long end;
        synchronized (this) {
            end = nanos + time.toNanos();
        }
        for (Task task = next(end); task != null; task = next(end)) {
            task.work().run();
        }
        synchronized (this) {
            nanos = Math.max(nanos, end);
        }
    }

    private synchronized @Nullable Task next(long end) {
        Task first = tasks.peek();
        if (first == null || first.at() > end) {
            return null;
        }
        tasks.remove();
        nanos = Math.max(nanos, first.at());
        return first;
    }

    /** Sets this process's wall clock forward, or back if negative. */
    public synchronized void shiftWallClock(Duration by) {
        wallShiftMicros += by.toNanos() / 1_000;
    }

    /** Sets the store's clock forward, or back if negative. */
    public synchronized void shiftStoreClock(Duration by) {
        storeShiftMicros += by.toNanos() / 1_000;
    }

    /** Suspends this process: its monotonic clock stands still while the wall clock and the store's go on. */
    public synchronized void suspend(Duration time) {
        wallShiftMicros += time.toNanos() / 1_000;
        storeShiftMicros += time.toNanos() / 1_000;
    }

    /** Stops this process: all clocks go on, but nothing that becomes due meanwhile is done before it is over. */
    public synchronized void pause(Duration time) {
        nanos += time.toNanos();
    }

    @Override
    public Alarm newAlarm(Runnable task) {
        return new ManualAlarm(task);
    }

    @Override
    public void dispatch(Runnable task) {
        task.run();
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        T result;
        try {
            result = verb.get();
        } catch (WithheldReply withheld) {
            withheld.delay().ifPresent(delay -> {
                long at;
                synchronized (this) {
                    at = nanos + delay.toNanos();
                }
                schedule(at, () -> withheld.passOn(reply));
            });
            return;
        } catch (Throwable cause) {
            reply.failed(cause);
            return;
        }
        reply.answered(result);
    }

    @Override
    public Subscription atExit(Runnable task) {
        return () -> {};
    }

    private synchronized void schedule(long at, Runnable work) {
        tasks.add(new Task(at, sequence++, work));
    }

    private final class ManualAlarm implements Alarm {
        private final Runnable task;
        private long at = Long.MAX_VALUE;

        ManualAlarm(Runnable task) {
            this.task = task;
        }

        @Override
        public void setFor(long moment) {
            synchronized (ManualTime.this) {
                at = moment;
            }
            if (moment != Long.MAX_VALUE) {
                schedule(moment, () -> ring(moment));
            }
        }

        private void ring(long moment) {
            synchronized (ManualTime.this) {
                if (at != moment) {
                    return;
                }
                at = Long.MAX_VALUE;
            }
            task.run();
        }

        @Override
        public void close() {
            setFor(Long.MAX_VALUE);
        }
    }
}
