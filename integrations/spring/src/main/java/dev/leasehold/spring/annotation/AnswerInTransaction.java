package dev.leasehold.spring.annotation;

import dev.leasehold.once.Run;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/** The run of a call, on its way through the proxy to the transaction that records its answer. Used by one thread. */
final class AnswerInTransaction {
    private static final String NAME = AnswerInTransaction.class.getName();

    private final Run<Object> run;
    private boolean isWritten;
    private boolean isCommitted;

    AnswerInTransaction(Run<Object> run) {
        this.run = run;
    }

    void travelWith(ProxyMethodInvocation call) {
        call.setUserAttribute(NAME, this);
    }

    static @Nullable AnswerInTransaction of(ProxyMethodInvocation call) {
        return (AnswerInTransaction) call.getUserAttribute(NAME);
    }

    Run<Object> run() {
        return run;
    }

    void written() {
        isWritten = true;
    }

    void committed() {
        isCommitted = true;
        run.recorded();
    }

    /**
     * Returns if the answer needs no transaction, or was committed in one.
     *
     * @throws IllegalStateException if the transaction was rolled back although the method returned
     */
    void checkCommitted() {
        if (isWritten && !isCommitted) {
            throw new IllegalStateException(
                    "The transaction was rolled back although the method returned, so there is no answer: key "
                            + run.key() + ".");
        }
    }
}
