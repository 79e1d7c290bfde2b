package dev.leasehold.store;

/** Ends something that was asked to be told. Closing it twice is harmless. */
public interface Subscription extends AutoCloseable {
    @Override
    void close();
}
