package dev.leasehold.once;

/**
 * Thrown by work that failed for good and says so itself: the failure is kept as the answer, unless the
 * {@link FailurePolicy} decides otherwise.
 */
public final class TerminalException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Failure failure;

    public TerminalException(Failure failure) {
        super(failure.code() + ": " + failure.message());
        this.failure = failure;
    }

    public TerminalException(Failure failure, Throwable cause) {
        super(failure.code() + ": " + failure.message(), cause);
        this.failure = failure;
    }

    public Failure failure() {
        return failure;
    }
}
