package dev.leasehold.lease;

import dev.leasehold.store.Key;

/** The user's own record that is to be leased or run does not exist. Nothing was locked or changed. */
public final class RecordNotFoundException extends LeaseException {
    private static final long serialVersionUID = 1L;

    private final String record;

    /** @param record names the record, such as {@code analyses/42} */
    public RecordNotFoundException(Key key, String record) {
        super(
                Code.UNAVAILABLE,
                key,
                "There is no record " + record + ". Create it before it is worked on, or check the id.",
                null);
        this.record = record;
    }

    /** Names the record, such as {@code analyses/42}. */
    public String record() {
        return record;
    }
}
