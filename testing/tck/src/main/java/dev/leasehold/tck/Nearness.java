package dev.leasehold.tck;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whether two values are the same but for the moment at which they were decided. */
final class Nearness {
    /** Kept, because the JDK looks them up anew each time. */
    private static final ClassValue<Method[]> ACCESSORS = new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
            return Stream.of(type.getRecordComponents())
                    .map(RecordComponent::getAccessor)
                    .toArray(Method[]::new);
        }
    };

    private Nearness() {}

    /** Compares times, durations and fences with this much slack, and all else to the letter. */
    static boolean near(@Nullable Object actual, @Nullable Object expected, long slackMicros) {
        if (actual == null || expected == null) {
            return actual == expected;
        }
        if (actual instanceof Long a && expected instanceof Long e) {
            return Math.abs(a - e) <= slackMicros;
        }
        if (actual instanceof Duration a && expected instanceof Duration e) {
            return Math.abs(Micros.of(a) - Micros.of(e)) <= slackMicros;
        }
        if (actual instanceof Fence a && expected instanceof Fence e) {
            return Math.abs(a.value() - e.value()) <= slackMicros;
        }
        if (actual instanceof Optional<?> a && expected instanceof Optional<?> e) {
            return near(a.orElse(null), e.orElse(null), slackMicros);
        }
        if (actual instanceof List<?> a && expected instanceof List<?> e) {
            return areNear(a, e, slackMicros);
        }
        if (actual instanceof Record a && expected instanceof Record e && !(actual instanceof Nonce)) {
            return areNear(a, e, slackMicros);
        }
        return actual.equals(expected);
    }

    private static boolean areNear(List<?> actual, List<?> expected, long slackMicros) {
        boolean isNear = actual.size() == expected.size();
        for (int i = 0; isNear && i < actual.size(); i++) {
            isNear = near(actual.get(i), expected.get(i), slackMicros);
        }
        return isNear;
    }

    private static boolean areNear(Record actual, Record expected, long slackMicros) {
        boolean isNear = actual.getClass() == expected.getClass();
        Method[] accessors = ACCESSORS.get(actual.getClass());
        for (int i = 0; isNear && i < accessors.length; i++) {
            isNear = near(read(accessors[i], actual), read(accessors[i], expected), slackMicros);
        }
        return isNear;
    }

    private static @Nullable Object read(Method accessor, Record record) {
        try {
            return accessor.invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
