package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import java.util.concurrent.ThreadLocalRandom;

/** How far a store's clock is ahead of the JVM's monotonic one. Two clocks drift, so it is measured again and again. */
final class StoreClock {
    private static final int SAMPLES = 5;
    /** For a clock that is slowed down or sped up between two measurements. */
    private static final long TOLERANCE_MICROS = 2_000;

    private final LeaseStore store;
    private final Key key;
    private final long tick;

    /** @param key that nobody else uses: its record is what the clock is read by */
    StoreClock(LeaseStore store, Key key, long tickMicros) {
        this.store = store;
        this.key = key;
        this.tick = tickMicros;
        Nonce nonce = new Nonce(ThreadLocalRandom.current().nextLong(), 1);
        store.acquire(AcquireRequest.of(key, nonce, Owner.of("clock"), AcquireRequest.MAX_TTL));
    }

    static long microsOfJvm() {
        return System.nanoTime() / 1_000;
    }

    /** Bounds of the distance, from the quickest of a few readings. */
    Span offset() {
        Span best = Span.ANY;
        for (int i = 0; i < SAMPLES; i++) {
            long before = microsOfJvm();
            long now = store.find(key)
                    .orElseThrow(() -> new AssertionError("The record of " + key + " is gone."))
                    .nowMicros();
            long after = microsOfJvm();
            Span sample = new Span(now - after - 1, now + tick - before);
            best = sample.to() - sample.from() < best.to() - best.from() ? sample : best;
        }
        return best;
    }

    /** Bounds of the distance between two measurements. A clock that goes in ticks shows the time up to a tick late. */
    Span between(Span first, Span second) {
        Span both = new Span(Math.min(first.from(), second.from()), Math.max(first.to(), second.to()));
        return both.wider(TOLERANCE_MICROS + tick);
    }
}
