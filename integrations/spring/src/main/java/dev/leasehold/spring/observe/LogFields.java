package dev.leasehold.spring.observe;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts key and fence into the log lines of the work under a lease or run, as the fields {@value #KEY} and {@value #FENCE}.
 * Closing it puts back what was there before. For the thread that opened it alone.
 */
public final class LogFields implements AutoCloseable {
    /** The field of the key. */
    public static final String KEY = "leasehold.key";

    /** The field of the fence. */
    public static final String FENCE = "leasehold.fence";

    private final @Nullable String keyBefore = MDC.get(KEY);
    private final @Nullable String fenceBefore = MDC.get(FENCE);

    private LogFields(Key key, Fence fence) {
        MDC.put(KEY, key.value());
        MDC.put(FENCE, fence.toString());
    }

    /** From now on, on this thread. */
    public static LogFields of(Key key, Fence fence) {
        return new LogFields(key, fence);
    }

    @Override
    public void close() {
        putBack(KEY, keyBefore);
        putBack(FENCE, fenceBefore);
    }

    private static void putBack(String field, @Nullable String value) {
        if (value == null) {
            MDC.remove(field);
        } else {
            MDC.put(field, value);
        }
    }
}
