package dev.leasehold.tck.interleaving;

import java.util.Locale;

/**
 * One cell of the matrix.
 *
 * @param verb what is asked of the store
 * @param before the record before
 * @param memory what the store object saw of the key before
 * @param meanwhile what the rival does in its transaction
 * @param isCommitted whether the rival's transaction commits; otherwise it rolls back
 */
public record Cell(VerbForm verb, Before before, Memory memory, Meanwhile meanwhile, boolean isCommitted) {
    /** What the store object under test saw of the key before. A store may take another way for a key that it knows. */
    public enum Memory {
        NOTHING,
        /** It acquired and released the key. */
        RELEASED,
        /** It was refused the key. */
        REFUSED
    }

    @Override
    public String toString() {
        return (verb + " | " + before + " | known: " + memory + " | rival: " + meanwhile
                        + (isCommitted ? ", commits" : ", rolls back"))
                .toLowerCase(Locale.ROOT);
    }
}
