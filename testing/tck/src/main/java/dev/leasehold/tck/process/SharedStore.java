package dev.leasehold.tck.process;

import java.util.List;

/** Data that several processes use at once, and how each of them opens a store on it. */
public interface SharedStore {
    Class<? extends StoreOpener> opener();

    /** What the opener is told, such as a URL or a directory. It travels on command lines. */
    List<String> arguments();

    /**
     * Whether a lease is over as soon as its process is dead. If not, a dead holder is in the way until its TTL is over,
     * and no moment less.
     */
    default boolean freesTheDeadAtOnce() {
        return false;
    }

    /** Gives up the data. No process uses it any more. */
    default void close() throws Exception {}
}
