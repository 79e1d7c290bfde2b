package dev.leasehold.spring.annotation;

import dev.leasehold.once.RunSpec;
import java.lang.reflect.Method;

/**
 * A method with {@link RunOnce}, read once.
 *
 * @param leavesTransaction whether it may be called inside a transaction, because it does not take part in that
 */
record RunOnceMethod(
        Method method,
        Class<?> type,
        KeyExpression key,
        RunSpec<Object> spec,
        OnBusy onBusy,
        boolean leavesTransaction,
        Handles handles) {}
