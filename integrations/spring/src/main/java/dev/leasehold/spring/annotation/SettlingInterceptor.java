package dev.leasehold.spring.annotation;

import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Records the answer of a run in the transaction of its method, as the last statement before the commit. */
final class SettlingInterceptor implements MethodInterceptor {
    private final Supplier<@Nullable LeasesInDatabase> database;

    SettlingInterceptor(Supplier<@Nullable LeasesInDatabase> database) {
        this.database = database;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        AnswerInTransaction answer = AnswerInTransaction.of((ProxyMethodInvocation) call);
        if (answer == null || !TransactionSynchronizationManager.isActualTransactionActive()) {
            return call.proceed();
        }
        LeasesInDatabase leases = database.get();
        if (leases == null || !leases.isInTransaction()) {
            return call.proceed();
        }
        leases.begin(answer.run());
        Object value = call.proceed();
        answer.written();
        leases.settle(answer.run(), value);
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                if (status == STATUS_COMMITTED) {
                    answer.committed();
                }
            }
        });
        return value;
    }
}
