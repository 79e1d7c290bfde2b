package dev.leasehold.spring.annotation;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Transactions of Spring's, if the application has them. */
final class CallersTransaction {
    private static final boolean IS_PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            CallersTransaction.class.getClassLoader());

    private CallersTransaction() {}

    /** Whether the method has {@code @Transactional}. */
    static boolean isTransactional(Method method, Class<?> type) {
        return IS_PRESENT && Present.attribute(method, type) != null;
    }

    /** Whether the method's work is no part of a transaction that its caller is in. */
    static boolean isLeft(Method method, Class<?> type) {
        return IS_PRESENT && Present.isLeft(method, type);
    }

    /**
     * Refuses a call inside a transaction: the lease would end, or the answer be kept, before the caller commits.
     *
     * @throws IllegalStateException if the caller is in a transaction
     */
    static void refuse(Method method, Class<?> type) {
        if (IS_PRESENT && Present.isOpen()) {
            throw new IllegalStateException(MethodProblem.name(method, type)
                    + " was called inside a transaction, which would commit after the lease has ended. Call it outside the"
                    + " transaction, or put the annotation on the method that begins the transaction.");
        }
    }

    /** Apart, so that nothing asks for Spring's classes if they are not there. */
    private static final class Present {
        private static final AnnotationTransactionAttributeSource ATTRIBUTES =
                new AnnotationTransactionAttributeSource(false);

        static @Nullable TransactionAttribute attribute(Method method, Class<?> type) {
            return ATTRIBUTES.getTransactionAttribute(method, type);
        }

        static boolean isLeft(Method method, Class<?> type) {
            TransactionAttribute attribute = attribute(method, type);
            if (attribute == null) {
                return false;
            }
            int propagation = attribute.getPropagationBehavior();
            return propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                    || propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED;
        }

        static boolean isOpen() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }
}
