package dev.leasehold.spring.annotation;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.spring.observe.Spans;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import java.util.concurrent.CompletionStage;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Calls a method under a lease. */
final class LockedInterceptor implements MethodInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(Locked.class);

    private final AnnotatedMethods methods;
    private final SingletonSupplier<Leases> leases;
    private final SingletonSupplier<Observing> observing;

    LockedInterceptor(
            AnnotatedMethods methods, SingletonSupplier<Leases> leases, SingletonSupplier<Observing> observing) {
        this.methods = methods;
        this.leases = leases;
        this.observing = observing;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Exception {
        Class<?> type = Proceeding.type(call);
        LockedMethod locked = methods.locked(AopUtils.getMostSpecificMethod(call.getMethod(), type), type);
        if (!locked.leavesTransaction()) {
            CallersTransaction.refuse(locked.method(), type);
        }
        Key key = locked.key().of(call.getThis(), call.getArguments());
        Acquisition acquisition = acquire(key, locked);
        if (acquisition instanceof Acquisition.Refused refused) {
            return refused(locked, refused);
        }
        Lease lease = acquisition.orElseThrow();
        return EmptyResult.isFuture(locked.method().getReturnType())
                ? HeldFuture.of(lease, () -> (CompletionStage<?>) proceed(call, locked, lease))
                : proceedAndRelease(call, locked, acquisition);
    }

    private Acquisition acquire(Key key, LockedMethod locked) {
        try {
            return observing.obtain().<Acquisition, InterruptedException>observe(Spans.Kind.ACQUIRE, key, span -> {
                Acquisition acquisition = leases.obtain().acquire(key, locked.options());
                if (acquisition instanceof Acquisition.Acquired acquired) {
                    span.fence(acquired.lease().fence());
                }
                span.outcome(acquisition.getClass().getSimpleName());
                return acquisition;
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LeaseException(
                    LeaseException.Code.UNAVAILABLE,
                    key,
                    "The thread was interrupted while it waited for the key, and the method was not called: " + key
                            + ".",
                    e);
        }
    }

    /** A record that does not exist is an error in any case: no later call would do the work either. */
    private static @Nullable Object refused(LockedMethod locked, Acquisition.Refused refused) {
        if (locked.onBusy() == OnBusy.FAIL || refused.answer() instanceof AcquireResult.Missing) {
            throw refused.toException();
        }
        LOG.debug("{} is skipped: {}", MethodProblem.name(locked.method(), locked.type()), refused);
        return EmptyResult.of(locked.method());
    }

    private static @Nullable Object proceedAndRelease(
            MethodInvocation call, LockedMethod locked, Acquisition acquisition) throws Exception {
        @Nullable Object[] result = new Object[1];
        acquisition.<Exception>ifAcquired(lease -> result[0] = proceed(call, locked, lease));
        return result[0];
    }

    private static @Nullable Object proceed(MethodInvocation call, LockedMethod locked, Lease lease) throws Exception {
        locked.handles().fill((ProxyMethodInvocation) call, lease, null);
        return Observing.proceed(call, lease.key(), lease.fence());
    }
}
