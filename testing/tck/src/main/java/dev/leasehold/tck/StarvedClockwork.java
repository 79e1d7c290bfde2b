package dev.leasehold.tck;

import dev.leasehold.lease.Clockwork;
import java.util.function.Supplier;

/** The clockwork of a process that can be made to run out of threads: what needs one throws, as the JVM does. */
class StarvedClockwork extends ForwardingClockwork {
    private volatile boolean hasThreads = true;

    StarvedClockwork(Clockwork clockwork) {
        super(clockwork);
    }

    final void runOutOfThreads() {
        hasThreads = false;
    }

    final void haveThreadsAgain() {
        hasThreads = true;
    }

    private void needThread() {
        if (!hasThreads) {
            throw new OutOfMemoryError("unable to create native thread, as the test wants");
        }
    }

    @Override
    public void dispatch(Runnable task) {
        needThread();
        super.dispatch(task);
    }

    @Override
    public <T> void call(Supplier<T> verb, Reply<T> reply) {
        needThread();
        super.call(verb, reply);
    }
}
