package dev.leasehold.once;

/** The text cannot be a name under the policy. The message is fit for whoever typed it. */
public final class UnusableNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnusableNameException(String message) {
        super(message);
    }
}
