package dev.leasehold.spring.annotation;

import dev.leasehold.spring.observe.LockNames;
import dev.leasehold.spring.observe.LogFields;
import dev.leasehold.spring.observe.Spans;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * How annotated calls are observed: in the application's spans, if it has them, and in its log lines.
 *
 * @param names gives the name under which a key is measured
 */
record Observing(Spans spans, Function<Key, String> names) {
    /** Made at the first call, so that no bean is made too early. */
    static SingletonSupplier<Observing> of(ObjectProvider<Spans> spans, ObjectProvider<LockNames> names) {
        return SingletonSupplier.of(() -> {
            LockNames known = names.getIfAvailable();
            return new Observing(
                    spans.getIfAvailable(() -> Spans.NONE), known == null ? key -> LockNames.OTHER : known::of);
        });
    }

    <T, X extends Exception> T observe(Spans.Kind kind, Key key, Spans.Step<T, X> step) throws X {
        return spans.observe(kind, names.apply(key), key, step);
    }

    /** Goes on with a call whose log lines have key and fence. */
    static @Nullable Object proceed(MethodInvocation call, Key key, Fence fence) throws Exception {
        LogFields fields = LogFields.of(key, fence);
        try {
            return Proceeding.proceed(call);
        } finally {
            fields.close();
        }
    }
}
