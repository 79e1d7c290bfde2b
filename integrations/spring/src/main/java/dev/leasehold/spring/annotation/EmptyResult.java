package dev.leasehold.spring.annotation;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a call returns that skips its work. */
final class EmptyResult {
    private EmptyResult() {}

    static @Nullable Object of(Method method) {
        Class<?> type = method.getReturnType();
        if (type == Optional.class) {
            return Optional.empty();
        }
        return isFuture(type) ? CompletableFuture.completedFuture(null) : null;
    }

    /** Whether the lease is kept until such a result completes. */
    static boolean isFuture(Class<?> type) {
        return type == CompletableFuture.class || type == CompletionStage.class;
    }
}
