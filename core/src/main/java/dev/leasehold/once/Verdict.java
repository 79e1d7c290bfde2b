package dev.leasehold.once;

/** What a failed attempt means for the run. */
public enum Verdict {
    /** Nothing was done that matters: the next caller runs. */
    CLEAR,
    /** It will never work: the failure is kept and replayed. */
    TERMINAL,
    /** Nobody knows whether it was done: nobody runs until somebody resolves it. */
    HOLD
}
