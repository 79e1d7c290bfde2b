package dev.leasehold.tck.proxy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The faults in force, the dice that choose their victims, and the log of what they did. Thread-safe; its monitor is
 * where everything that holds bytes back waits.
 */
final class FaultPlan {
    /** A long soak counts on but does not fill the memory. */
    private static final int LONGEST_LOG = 100_000;

    private final long seed;
    private final List<Injection> inForce = new CopyOnWriteArrayList<>();
    private final List<Firing> log = new ArrayList<>();
    private int injections;

    FaultPlan(long seed) {
        this.seed = seed;
    }

    synchronized Injection inject(Fault fault, double probability, boolean once) {
        Injection injection = new Injection(this, ++injections, fault, probability, once);
        inForce.add(injection);
        return injection;
    }

    List<Injection> inForce() {
        return inForce;
    }

    void lifted(Injection injection) {
        inForce.remove(injection);
        wake();
    }

    /**
     * The dice for one injection and one chunk. They depend on nothing but the seed and the place of the chunk in the
     * traffic, so neither the order of threads nor other faults change what they say.
     */
    SplittableRandom dice(Injection injection, int connection, Direction direction, long chunk) {
        long place = seed;
        for (long part : new long[] {injection.number(), connection, direction == Direction.TO_SERVER ? 0 : 1, chunk}) {
            place = new SplittableRandom(place + part).nextLong();
        }
        return new SplittableRandom(place);
    }

    synchronized void fired(Injection injection, int connection, Direction direction, long offset) {
        injection.countFiring();
        if (log.size() < LONGEST_LOG) {
            log.add(new Firing(injection.fault(), connection, direction, offset));
        }
        notifyAll();
    }

    synchronized List<Firing> firings() {
        return List.copyOf(log);
    }

    /** Returns when it is over, which somebody must announce with {@link #wake}, or the time is. */
    synchronized void await(BooleanSupplier over, Duration atMost) throws InterruptedException {
        long start = System.nanoTime();
        long passed = 0;
        while (!over.getAsBoolean() && passed < atMost.toNanos()) {
            TimeUnit.NANOSECONDS.timedWait(this, atMost.toNanos() - passed);
            passed = System.nanoTime() - start;
        }
    }

    synchronized void wake() {
        notifyAll();
    }
}
