package dev.leasehold.once;

/** What a failed attempt means for the run. */
public enum Verdict {
    /** Nothing was done that matters: the next caller runs. */
    CLEAR,
    /**
     * The work was stopped from outside, for instance because its process ends: the attempt does not count, not even as
     * the last. The next caller runs as if it were the first: attempts and checkpoints are gone.
     */
    RESET,
    /** It will never work: the failure is kept and replayed. */
    TERMINAL,
    /** Nobody knows whether it was done: nobody runs until somebody resolves it. */
    HOLD
}
