package dev.leasehold.spring.annotation;

import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.spring.observe.Spans;
import dev.leasehold.store.Key;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.function.SingletonSupplier;

/** Calls a method unless its answer is kept. */
final class RunOnceInterceptor implements MethodInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(RunOnce.class);

    private final AnnotatedMethods methods;
    private final SingletonSupplier<Leases> leases;
    private final SingletonSupplier<Observing> observing;

    RunOnceInterceptor(
            AnnotatedMethods methods, SingletonSupplier<Leases> leases, SingletonSupplier<Observing> observing) {
        this.methods = methods;
        this.leases = leases;
        this.observing = observing;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Exception {
        Class<?> type = Proceeding.type(call);
        RunOnceMethod once = methods.runOnce(AopUtils.getMostSpecificMethod(call.getMethod(), type), type);
        if (!once.leavesTransaction()) {
            CallersTransaction.refuse(once.method(), type);
        }
        Key key = once.key().of(call.getThis(), call.getArguments());
        boolean[] isBegun = new boolean[1];
        Outcome<Object> outcome;
        try {
            outcome = observing.obtain().<Outcome<Object>, Exception>observe(Spans.Kind.RUN, key, span -> {
                Outcome<Object> ended = Once.on(leases.obtain(), key, once.spec())
                        .run(run -> {
                            isBegun[0] = true;
                            span.fence(run.fence());
                            return work((ProxyMethodInvocation) call, once, run);
                        });
                span.outcome(ended.getClass().getSimpleName());
                return ended;
            });
        } catch (InterruptedException e) {
            throw isBegun[0] ? e : interrupted(key, e);
        }
        return answer(once, key, outcome);
    }

    private static @Nullable Object work(ProxyMethodInvocation call, RunOnceMethod once, Run<Object> run)
            throws Exception {
        once.handles().fill(call, run.lease(), run);
        AnswerInTransaction answer = new AnswerInTransaction(run);
        answer.travelWith(call);
        Object value = Observing.proceed(call, run.lease().key(), run.fence());
        answer.checkCommitted();
        return value;
    }

    private static LeaseException interrupted(Key key, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LeaseException(
                LeaseException.Code.UNAVAILABLE,
                key,
                "The thread was interrupted while it waited for the answer, and the method was not called: " + key
                        + ".",
                cause);
    }

    private static @Nullable Object answer(RunOnceMethod once, Key key, Outcome<Object> outcome) {
        if (outcome instanceof Outcome.Unrecorded<Object>) {
            LOG.warn("The work for {} was done, but its answer is not known to be kept: {}", key, outcome);
        }
        if (outcome instanceof Outcome.Ran<Object>
                || outcome instanceof Outcome.Replayed<Object>
                || outcome instanceof Outcome.Unrecorded<Object>) {
            return outcome.toOptional().orElse(null);
        }
        boolean isBusy = outcome instanceof Outcome.InProgress<Object> || outcome instanceof Outcome.Cooling<Object>;
        if (isBusy && once.onBusy() == OnBusy.SKIP) {
            LOG.debug("{} is skipped: {}", MethodProblem.name(once.method(), once.type()), outcome);
            return EmptyResult.of(once.method());
        }
        throw new NoAnswerException(key, outcome, cause(outcome));
    }

    private static @Nullable Throwable cause(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Refused<?> refused) {
            return refused.cause();
        }
        return outcome instanceof Outcome.OnHold<?> held ? held.cause() : null;
    }
}
