package dev.leasehold.store;

import org.jspecify.annotations.Nullable;

/** What the store needs is not there, or of another version: somebody must create it. */
public class MissingSchemaException extends StoreException {
    private static final long serialVersionUID = 1L;

    private final String what;

    /**
     * @param what is missing
     * @param how a program creates it; the message says both
     */
    public MissingSchemaException(String what, String how, @Nullable Throwable cause) {
        super(what + " " + how, cause);
        this.what = what;
    }

    /** What is missing, for whoever knows another way to create it. */
    public String what() {
        return what;
    }
}
