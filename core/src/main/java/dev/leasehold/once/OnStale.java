package dev.leasehold.once;

/** What becomes of a run whose runner went silent: its lease ran out without an answer. */
public enum OnStale {
    /** The next caller runs it again, and sees from whom it took over. */
    RERUN,
    /** Nobody knows how far it got: it goes on hold until somebody resolves it. */
    HOLD
}
