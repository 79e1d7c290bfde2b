package dev.leasehold.tck.proxy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A fault in force at a {@link FaultProxy}, until it is lifted. Thread-safe. */
public final class Injection {
    private final FaultPlan plan;
    private final int number;
    private final Fault fault;
    private final double probability;
    private final boolean once;
    private final AtomicBoolean struck = new AtomicBoolean();
    private final AtomicInteger firings = new AtomicInteger();
    private volatile boolean lifted;

    Injection(FaultPlan plan, int number, Fault fault, double probability, boolean once) {
        if (!(probability > 0 && probability <= 1)) {
            throw new IllegalArgumentException("probability must be above 0 and at most 1: " + probability);
        }
        this.plan = plan;
        this.number = number;
        this.fault = fault;
        this.probability = probability;
        this.once = once;
    }

    public Fault fault() {
        return fault;
    }

    /** How often it has fired so far. */
    public int firings() {
        return firings.get();
    }

    /** Waits until it has fired; false if it has not within {@code atMost}. */
    public boolean awaitFiring(Duration atMost) throws InterruptedException {
        plan.await(() -> firings() > 0, atMost);
        return firings() > 0;
    }

    /** Takes the fault away and lets go what it holds. Lifting twice does nothing. */
    public void lift() {
        lifted = true;
        plan.lifted(this);
    }

    boolean isLifted() {
        return lifted;
    }

    int number() {
        return number;
    }

    double probability() {
        return probability;
    }

    /** False if this was to strike once and already has. */
    boolean strike() {
        return !lifted && (!once || struck.compareAndSet(false, true));
    }

    void countFiring() {
        firings.incrementAndGet();
    }
}
