package dev.leasehold.spring.annotation;

/** What a call does whose key is held by another caller, or is cooling down. */
public enum OnBusy {
    /** Returns without doing the work: null, or an empty Optional. */
    SKIP,
    /** Throws an exception that names the holder. */
    FAIL
}
