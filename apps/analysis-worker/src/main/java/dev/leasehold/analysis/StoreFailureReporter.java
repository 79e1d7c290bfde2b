package dev.leasehold.analysis;

import dev.leasehold.store.StoreException;
import org.springframework.boot.SpringBootExceptionReporter;

/** Keeps Spring from writing the stack trace of a store that cannot be opened: {@link Main} says in a line what is wrong. */
final class StoreFailureReporter implements SpringBootExceptionReporter {
    @Override
    public boolean reportException(Throwable failure) {
        return failure instanceof StoreException;
    }
}
