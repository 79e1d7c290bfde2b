package dev.leasehold.spring.annotation;

import dev.leasehold.once.Run;
import dev.leasehold.spring.start.StartException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;

/** What a method must be like for its annotation to work. */
final class MethodRules {
    private final AnnotatedMethods methods;

    MethodRules(AnnotatedMethods methods) {
        this.methods = methods;
    }

    /**
     * Checks an annotated method of this class.
     *
     * @throws StartException if its annotation would do nothing, or something else than it says
     */
    void check(Method method, Class<?> type) {
        Locked locked = AnnotatedMethods.lockedOn(method);
        RunOnce once = AnnotatedMethods.runOnceOn(method);
        if (locked != null && once != null) {
            throw problem(
                    method,
                    type,
                    "has both @Locked and @RunOnce.",
                    "Remove @Locked: @RunOnce lets one caller at a time do the work.");
        }
        checkReachable(method, type);
        checkResult(method, type, onBusy(locked, once), once != null);
        if (once == null && Arrays.asList(method.getParameterTypes()).contains(Run.class)) {
            throw problem(
                    method,
                    type,
                    "has a parameter of type Run, but no @RunOnce.",
                    "Take a Lease or a Fence in its place.");
        }
        readSettings(method, type, once != null);
    }

    private static OnBusy onBusy(@Nullable Locked locked, @Nullable RunOnce once) {
        return once != null ? once.onBusy() : locked != null ? locked.onBusy() : OnBusy.FAIL;
    }

    private static void checkReachable(Method method, Class<?> type) {
        String modifier = Modifier.isPrivate(method.getModifiers())
                ? "private"
                : Modifier.isStatic(method.getModifiers())
                        ? "static"
                        : Modifier.isFinal(method.getModifiers()) ? "final" : null;
        if (modifier != null) {
            throw problem(
                    method,
                    type,
                    "is " + modifier + ", so Spring cannot put the lease around its calls.",
                    "Remove the word " + modifier + ".");
        }
        if (Modifier.isFinal(type.getModifiers())) {
            throw problem(
                    method,
                    type,
                    "belongs to a final class, so Spring cannot put the lease around its calls.",
                    "Make the class non-final; a record or an enum cannot be used.");
        }
    }

    private static void checkResult(Method method, Class<?> type, OnBusy onBusy, boolean isRun) {
        Class<?> result = method.getReturnType();
        if (result.isPrimitive() && result != void.class && onBusy == OnBusy.SKIP) {
            throw problem(
                    method,
                    type,
                    "returns " + result + ", so a call that skips the work has nothing to return.",
                    "Return an Optional or a class such as Integer, or set onBusy = OnBusy.FAIL.");
        }
        boolean isHeld = !isRun && EmptyResult.isFuture(result);
        if (!isHeld && goesOn(result)) {
            throw problem(
                    method,
                    type,
                    "returns " + result.getName() + ", and the lease would end before that work does.",
                    isRun
                            ? "Return the value itself, or use Once.runAsync."
                            : "Return a CompletableFuture, which keeps the lease until it completes, or use Leases.withAsync.");
        }
    }

    private static boolean goesOn(Class<?> result) {
        return Future.class.isAssignableFrom(result)
                || EmptyResult.isFuture(result)
                || Flow.Publisher.class.isAssignableFrom(result)
                || result.getName().startsWith("java.util.stream.")
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
    }

    private void readSettings(Method method, Class<?> type, boolean isRun) {
        try {
            var unused = isRun ? methods.runOnce(method, type) : methods.locked(method, type);
        } catch (IllegalArgumentException e) {
            throw MethodProblem.of(
                    method,
                    type,
                    "has " + (isRun ? "@RunOnce" : "@Locked") + " with a setting that cannot work. " + e.getMessage(),
                    "Correct the annotation.",
                    e);
        }
    }

    private static StartException problem(Method method, Class<?> type, String problem, String remedy) {
        return MethodProblem.of(method, type, problem, remedy);
    }
}
