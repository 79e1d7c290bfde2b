package dev.leasehold.spring.annotation;

import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodClassKey;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Reads annotated methods, each once. Safe for use by many threads. */
final class AnnotatedMethods {
    private final ConfigurableBeanFactory beans;
    private final Supplier<Duration> usualTtl;
    private final Consumer<String> templates;
    private final Map<MethodClassKey, LockedMethod> locked = new ConcurrentHashMap<>();
    private final Map<MethodClassKey, RunOnceMethod> onces = new ConcurrentHashMap<>();

    /** Tells the consumer the template of each method's keys, so that they have a name before the first call. */
    AnnotatedMethods(ConfigurableBeanFactory beans, Supplier<Duration> usualTtl, Consumer<String> templates) {
        this.beans = beans;
        this.usualTtl = usualTtl;
        this.templates = templates;
    }

    static @Nullable Locked lockedOn(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Locked.class);
    }

    static @Nullable RunOnce runOnceOn(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, RunOnce.class);
    }

    /**
     * The lock of a method of this class.
     *
     * @throws IllegalArgumentException if a setting of its annotation makes no sense
     */
    LockedMethod locked(Method method, Class<?> type) {
        return locked.computeIfAbsent(new MethodClassKey(method, type), key -> readLocked(method, type));
    }

    /**
     * The run of a method of this class.
     *
     * @throws IllegalArgumentException if a setting of its annotation makes no sense
     */
    RunOnceMethod runOnce(Method method, Class<?> type) {
        return onces.computeIfAbsent(new MethodClassKey(method, type), key -> readRunOnce(method, type));
    }

    private LockedMethod readLocked(Method method, Class<?> type) {
        Locked annotation = Objects.requireNonNull(lockedOn(method));
        LeaseOptions options = annotation.waitFor().isEmpty()
                ? LeaseOptions.noWait()
                : LeaseOptions.waitFor(duration("waitFor", annotation.waitFor()));
        options = options.withTtl(ttl(annotation.ttl()));
        return new LockedMethod(
                method,
                type,
                key(annotation.key(), method),
                annotation.interruptOnLoss() ? options.interruptingOnLoss() : options,
                annotation.onBusy(),
                CallersTransaction.isLeft(method, type),
                new Handles(method));
    }

    private RunOnceMethod readRunOnce(Method method, Class<?> type) {
        RunOnce annotation = Objects.requireNonNull(runOnceOn(method));
        Type result = ResolvableType.forMethodReturnType(method, type).getType();
        RunSpec<Object> spec = RunSpec.of(Results.codec(result))
                .withRetention(duration("retain", annotation.retain()))
                .withLeaseTtl(ttl(annotation.ttl()))
                .withFailurePolicy(policy(annotation.onFailure()));
        spec = annotation.waitFor().isEmpty() ? spec : spec.waitingFor(duration("waitFor", annotation.waitFor()));
        return new RunOnceMethod(
                method,
                type,
                key(annotation.key(), method),
                annotation.interruptOnLoss() ? spec.interruptingOnLoss() : spec,
                annotation.onBusy(),
                CallersTransaction.isLeft(method, type),
                new Handles(method));
    }

    private static FailurePolicy policy(Verdict verdict) {
        return (error, attempt) -> error instanceof TerminalException ? Verdict.TERMINAL : verdict;
    }

    private KeyExpression key(String text, Method method) {
        KeyExpression key = KeyExpression.of(resolved(text), method, beans);
        templates.accept(key.template());
        return key;
    }

    private Duration ttl(String text) {
        return text.isEmpty() ? usualTtl.get() : duration("ttl", text);
    }

    private Duration duration(String attribute, String text) {
        try {
            return DurationStyle.detectAndParse(resolved(text));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    attribute + " is a time such as 30s, 5m or P1D, not \"" + text + "\".", e);
        }
    }

    private String resolved(String text) {
        return String.valueOf(beans.resolveEmbeddedValue(text));
    }
}
