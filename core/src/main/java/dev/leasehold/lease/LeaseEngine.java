package dev.leasehold.lease;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All decisions of one client, without threads, clocks or input and output of its own.
 *
 * <p>{@link #step} takes one input and the present moment, and gives back what is to be done. Whoever drives it calls
 * it from one thread at a time, sends the asks, passes on their answers as further inputs, and steps it again at the
 * latest at {@link #nextDue}. {@link Calls} acquire and wait, {@link Renewals} keep what was acquired, {@link Endings}
 * give it back, {@link Housekeeping} tidies up; they share the agenda and the outbox here.
 */
final class LeaseEngine {
    final Settings settings;
    final RandomGenerator random;
    final Agenda agenda = new Agenda();
    final Calls calls;
    final Renewals renewals;
    final Endings endings;
    private final Housekeeping housekeeping = new Housekeeping(this);
    private final Supplier<String> backend;
    private final boolean areListenersFirst;
    private Instant lastTold = Instant.MIN;
    private Outbox outbox = new Outbox();
    private @Nullable CompletableFuture<Void> nothingLeft;

    /** @param areListenersFirst as {@link LeasesBuilder#listenersFirst}: then the times of events never go back */
    LeaseEngine(Settings settings, RandomGenerator random, Supplier<String> backend, boolean areListenersFirst) {
        this.settings = settings;
        this.random = random;
        this.backend = backend;
        this.areListenersFirst = areListenersFirst;
        this.endings = new Endings(this);
        this.renewals = new Renewals(this);
        this.calls = new Calls(this);
    }

    /** One thing that happened, applied to the engine. */
    interface Input {
        void apply(LeaseEngine engine, Moment now);
    }

    Outbox step(Input input, Moment now) {
        renewals.observe(now);
        housekeeping.start(now);
        input.apply(this, now);
        agenda.run(now);
        renewals.pump(now);
        if (nothingLeft != null && !endings.areUnderWay() && !calls.areUnderWay(now)) {
            CompletableFuture<Void> awaited = nothingLeft;
            nothingLeft = null;
            outbox.afterwards(() -> awaited.complete(null));
        }
        Outbox filled = outbox;
        outbox = new Outbox();
        return filled;
    }

    long nextDue() {
        return agenda.next();
    }

    /** Completes the future when nothing is on its way to the store that would leave something there, or take it back. */
    void whenNothingIsLeft(CompletableFuture<Void> future) {
        nothingLeft = future;
    }

    Outbox outbox() {
        return outbox;
    }

    LeaseEvent.Source source(Key key, Nonce nonce, Owner owner, @Nullable Fence fence, Moment now) {
        Instant wall = now.wall();
        lastTold = areListenersFirst && lastTold.isAfter(wall) ? lastTold : wall;
        return new LeaseEvent.Source(lastTold, nonce.name(), backend.get(), key, owner, fence);
    }

    /** A lease that somebody was granted but nobody wants any more. */
    void giveBack(ReleaseRequest request, Moment now) {
        endings.quietly(request, now);
    }

    /** The value, give or take a quarter. */
    long jittered(long nanos) {
        return nanos - nanos / 4 + random.nextLong(Math.max(1, nanos / 2));
    }
}
