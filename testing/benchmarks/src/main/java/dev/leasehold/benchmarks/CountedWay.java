package dev.leasehold.benchmarks;

/**
 * A way to a database on which everything is counted that clients send. It slows them down a little, so it is not used while
 * time is taken.
 */
interface CountedWay extends AutoCloseable {
    /** The database by this way. */
    Bed bed();

    /** How many statements or commands were sent until now. */
    long count();

    /** What the counting itself has cost this process until now, as far as it can be told from the rest. */
    default double cpuMillis() {
        return 0;
    }

    /** Ends the way; the database stays. */
    @Override
    default void close() {}
}
