package dev.leasehold.lease;

import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** The end of a client: what becomes of the leases it still has. */
final class ClosingLeases {
    static final Duration RELEASE_BUDGET = Duration.ofSeconds(2);
    private static final Duration LOOK_EVERY = Duration.ofMillis(10);

    private final Leases leases;
    private final Thread closer = Thread.currentThread();
    private final CountDownLatch isDone = new CountDownLatch(1);
    /** When work has had its grace, by the client's clock. */
    private volatile long graceEnd;

    ClosingLeases(Leases leases, Duration grace) {
        this.leases = leases;
        this.graceEnd = after(grace);
    }

    private long after(Duration grace) {
        return leases.now().nanos() + finite(grace).toNanos();
    }

    private static Duration finite(Duration grace) {
        return Micros.isForever(grace) ? Micros.FOREVER : grace;
    }

    void close() {
        giveBackIdleLocks();
        awaitWork();
        leases.kept().forEach(lease -> leases.step((engine, now) -> end(engine, lease, now), null));
        awaitStore();
    }

    void done() {
        isDone.countDown();
    }

    boolean isDone() {
        return isDone.getCount() == 0;
    }

    /**
     * Called by those who want the client closed while another thread closes it. Cuts the grace of that close to this one,
     * and waits for its end, for at most so much longer than the grace. Does not wait for this very thread.
     */
    void join(Duration grace, Duration longest) {
        graceEnd = Math.min(graceEnd, after(grace));
        if (Thread.currentThread() != closer
                && !Parking.untilDone(isDone, finite(grace).plus(longest))) {
            Log.warn("A lease client is still being closed by another thread; this thread waits no longer", null);
        }
    }

    /** A run is left alone for now: if its work is over, its answer may be about to be recorded. */
    private void giveBackIdleLocks() {
        for (Lease lease : leases.kept()) {
            if (!lease.options.isRun()) {
                leases.step((engine, now) -> giveBackIfIdle(engine, lease, now), null);
            }
        }
    }

    /** Decided inside a step, as the beginning of work is: a lease is never given back with work under it. */
    private static boolean giveBackIfIdle(LeaseEngine engine, Lease lease, Moment now) {
        boolean isIdle = !lease.isInUse();
        if (isIdle) {
            lease.isTakenAway = !lease.validity.state().isFinal();
            engine.endings.giveUp(lease, now);
        }
        return isIdle;
    }

    private static void end(LeaseEngine engine, Lease lease, Moment now) {
        if (!giveBackIfIdle(engine, lease, now)) {
            engine.renewals.abandon(lease, "the client was closed", now);
        }
    }

    /** Waits until leases and places in line are given back: the process may end as soon as the client is closed. */
    private void awaitStore() {
        CompletableFuture<Void> nothingLeft = new CompletableFuture<>();
        leases.step((engine, now) -> engine.whenNothingIsLeft(nothingLeft), null);
        if (!Parking.untilDone(nothingLeft, RELEASE_BUDGET)) {
            Log.warn("Some leases or places in line could not be given back; they end with their time", null);
        }
    }

    /** Waits until no work runs under any lease, for at most the grace. */
    private void awaitWork() {
        while (leases.kept().stream().anyMatch(Lease::isInUse) && leases.now().nanos() < graceEnd) {
            Parking.pause(LOOK_EVERY);
        }
    }
}
