package dev.leasehold.once;

import org.jspecify.annotations.Nullable;

/** What somebody who looked found out about a run that is on hold. */
public sealed interface Resolution<R> {
    /** The work was done, and this is its answer. */
    record Done<R>(@Nullable R value) implements Resolution<R> {}

    /** The work failed for good. */
    record Failed<R>(Failure failure) implements Resolution<R> {}

    /** The work was not done: the next caller runs, as if nobody had before. */
    record Cleared<R>() implements Resolution<R> {}

    static <R> Resolution<R> done(@Nullable R value) {
        return new Done<>(value);
    }

    static <R> Resolution<R> failed(Failure failure) {
        return new Failed<>(failure);
    }

    static <R> Resolution<R> cleared() {
        return new Cleared<>();
    }
}
