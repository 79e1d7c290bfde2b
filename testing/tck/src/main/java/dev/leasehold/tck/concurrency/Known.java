package dev.leasehold.tck.concurrency;

import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The last few of something that threads tell each other about. */
final class Known<T> {
    private static final int KEPT = 4;

    /** The first is the newest; the others are older, in no order. */
    private final AtomicReferenceArray<T> some = new AtomicReferenceArray<>(KEPT);

    void add(T one, Random random) {
        T newest = some.getAndSet(0, one);
        some.set(1 + random.nextInt(KEPT - 1), newest);
    }

    /** One of them, the newest as often as not; {@code null} if there is none. */
    @Nullable
    T any(Random random) {
        T one = some.get(random.nextBoolean() ? 0 : random.nextInt(KEPT));
        return one != null ? one : some.get(0);
    }
}
