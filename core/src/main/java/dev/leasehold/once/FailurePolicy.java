package dev.leasehold.once;

/** Says what an exception of the work's means for the run. Must be quick, and must not throw. */
@FunctionalInterface
public interface FailurePolicy {
    /** Clears, so that the next caller runs; but a {@link TerminalException} is kept. */
    FailurePolicy DEFAULT = (error, attempt) -> error instanceof TerminalException ? Verdict.TERMINAL : Verdict.CLEAR;

    /** Clears every failure, so that the next caller runs. */
    FailurePolicy CLEAR = (error, attempt) -> Verdict.CLEAR;

    /**
     * The verdict on this error at this attempt, counted from 1. An {@link Error} and an interrupt are judged as well.
     */
    Verdict judge(Throwable error, int attempt);
}
