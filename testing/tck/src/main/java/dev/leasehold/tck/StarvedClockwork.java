package dev.leasehold.tck;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Moment;
import dev.leasehold.store.Subscription;
import java.util.function.Supplier;

/** The clockwork of a process that can be made to run out of threads: what needs one throws, as the JVM does. */
final class StarvedClockwork implements Clockwork {
    private final Clockwork clockwork;
    private volatile boolean hasThreads = true;

    StarvedClockwork(Clockwork clockwork) {
        this.clockwork = clockwork;
    }

    void runOutOfThreads() {
        hasThreads = false;
    }

    void haveThreadsAgain() {
        hasThreads = true;
    }

    private void needThread() {
        if (!hasThreads) {
            throw new OutOfMemoryError("unable to create native thread, as the test wants");
        }
    }

    @Override
    public Moment now() {
        return clockwork.now();
    }

    @Override
    public Alarm newAlarm(Runnable task) {
        return clockwork.newAlarm(task);
    }

    @Override
    public void dispatch(Runnable task) {
        needThread();
        clockwork.dispatch(task);
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        needThread();
        clockwork.call(verb, reply);
    }

    @Override
    public Subscription atExit(Runnable task) {
        return clockwork.atExit(task);
    }
}
