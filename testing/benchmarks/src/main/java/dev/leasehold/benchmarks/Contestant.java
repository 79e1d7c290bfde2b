package dev.leasehold.benchmarks;

import java.sql.SQLException;

/**
 * A way to lock that is measured. What it can do, and so where it takes part, is said by the types in here. Each of them
 * opens a client, as a process of its own would have it.
 */
interface Contestant {
    String name();

    /** Whether it works there at all. */
    default boolean knows(StoreKind store) {
        return true;
    }

    /** Creates its tables, those that are not there yet, if it has any. */
    default void createTables(Bed bed) throws SQLException {}

    /** Gives a lock that is free and refuses one that is not. */
    interface Locks extends Contestant {
        Node<Worker.Locker> locking(Bed bed, Cell cell) throws SQLException;
    }

    /** Leaves a record for every key, and can be given many of them beforehand. */
    interface Grows extends Locks {
        /** What makes a free record: an insert from a table {@code s} of numbers {@code i}, or a script's lines. */
        String fill(StoreKind store);
    }

    /** Keeps leases alive; to see whether it did, somebody tries to lock them. */
    interface Keeps extends Locks {
        Node<Worker.Keeper> keeping(Bed bed, Cell cell);
    }

    /** Renews leases many at a time, so that there can be ever more of them. */
    interface KeepsMany extends Keeps {}

    /** Lets callers wait for a lock. */
    interface Waits extends Contestant {
        Node<Worker.Waiter> waiting(Bed bed, Cell cell);
    }

    /** Lets many threads wait with one client. */
    interface Queues extends Waits {
        default Node<Worker.Waiter> queueing(Bed bed, Cell cell) throws Exception {
            return waiting(bed, cell);
        }
    }

    /** Is a program of its own, which runs a command under a lock. */
    interface Starts extends Contestant {
        /** What is started for the command {@code true}, with this key. */
        ProcessBuilder command(Bed bed, String key) throws Exception;
    }

    /** A web application that answers calls for finished records. */
    interface Serves extends Contestant {
        /** Returns the command that starts it. Its log contains {@code "port":"…"} as soon as it listens. */
        ProcessBuilder application(Bed bed) throws Exception;
    }

    /** Runs once, and keeps the answer in the store. */
    interface Runs extends Contestant {
        Node<Worker.Runner> running(Bed bed, Cell cell);
    }

    /** Keeps answers in its own memory too. */
    interface Caches extends Runs {
        Node<Worker.Runner> caching(Bed bed, Cell cell);
    }
}
