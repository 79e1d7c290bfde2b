package dev.leasehold.once;

import org.jspecify.annotations.Nullable;

/** Work that is to be done once. */
@FunctionalInterface
public interface Work<R> {
    /** Does the work. The answer may be null, and is then replayed as null. */
    @Nullable
    R run(Run<R> run) throws Exception;
}
