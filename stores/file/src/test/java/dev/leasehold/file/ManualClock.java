package dev.leasehold.file;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** A clock that moves by hand. */
final class ManualClock implements LongSupplier {
    private final AtomicLong micros = new AtomicLong(1_700_000_000_000_000L);

    void advance(Duration time) {
        micros.addAndGet(time.toNanos() / 1_000);
    }

    @Override
    public long getAsLong() {
        return micros.get();
    }
}
