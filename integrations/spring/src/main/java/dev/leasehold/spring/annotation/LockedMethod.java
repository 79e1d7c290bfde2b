package dev.leasehold.spring.annotation;

import dev.leasehold.lease.LeaseOptions;
import java.lang.reflect.Method;

/**
 * A method with {@link Locked}, read once.
 *
 * @param leavesTransaction whether it may be called inside a transaction, because it does not take part in that
 */
record LockedMethod(
        Method method,
        Class<?> type,
        KeyExpression key,
        LeaseOptions options,
        OnBusy onBusy,
        boolean leavesTransaction,
        Handles handles) {}
