package dev.leasehold.once;

import dev.leasehold.store.Key;

/** The user's own record that a run was asked for does not exist. Nothing was locked or changed. */
public final class RecordNotFoundException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Key key;
    private final String record;

    RecordNotFoundException(Key key, String record) {
        super("There is no record " + record + ". Create it before it is worked on, or check the id.");
        this.key = key;
        this.record = record;
    }

    public Key key() {
        return key;
    }

    /** Names the record, such as {@code analyses/42}. */
    public String record() {
        return record;
    }
}
