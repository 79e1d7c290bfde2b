package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An analysis that waits at a gate until the test lets it go on, checks its lease, and reports who did it. How often it
 * began is counted.
 */
final class Gate implements Analyser {
    private final String name;
    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore open = new Semaphore(0);
    final AtomicInteger begun = new AtomicInteger();

    Gate(String name) {
        this.name = name;
    }

    @Override
    public Report analyse(String text, Check check) throws InterruptedException {
        begun.incrementAndGet();
        arrived.release();
        open.acquire();
        if (text.startsWith("fails")) {
            throw new IllegalStateException("This analysis fails.");
        }
        if (!text.startsWith("careless")) {
            check.ensure();
        }
        return report(name);
    }

    static Report report(String name) {
        return new Report("en", 3, 1, 4.5, List.of(name));
    }

    /** Waits until an analysis is at the gate. */
    void await() throws InterruptedException {
        assertThat(arrived.tryAcquire(30, TimeUnit.SECONDS))
                .as("an analysis has begun")
                .isTrue();
    }

    void letOneGoOn() {
        open.release();
    }

    /** From now on nothing waits. */
    Gate opened() {
        open.release(1_000_000);
        return this;
    }
}
