package dev.leasehold.tck;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;

/**
 * A store that is put through {@link LeaseStoreContract}: its data, its clock, and what it is able to do.
 *
 * <p>Each test makes one and closes it. The data may be new or shared with earlier tests, because every test uses keys
 * that nobody used before. Two contracts must not run on the same data at the same time, since one's purge would drop
 * what the other has left behind.
 */
public interface StoreUnderTest {
    StoreTraits traits();

    /**
     * Opens a store object on the data. More are opened while it is open only if the traits say that it is shared; what
     * was closed may be opened again.
     */
    LeaseStore open() throws Exception;

    /**
     * Drops this key's record, or everything, behind the store's back: what an operator's hand or a lost disk does. No
     * store object is open meanwhile.
     */
    void lose(Key key) throws Exception;

    /**
     * Lets that much time pass for all that is stored, or a little more. Unless this is replaced, by waiting.
     *
     * <p>A store whose clock cannot be moved can move what is stored instead: take that much off every time it keeps,
     * and off the fence of every record that nobody has. Fences of the others must stay, for their holders know them.
     */
    default void elapse(Duration time) throws Exception {
        // Two more milliseconds, for stores that see the time in whole ones.
        Threads.pause(time.plusMillis(2));
    }

    /** Sets the store's clock back, or what is stored forward. Asked for only if the traits say that time is moved. */
    default void setBack(Duration by) throws Exception {
        throw new UnsupportedOperationException("This clock cannot be set; its traits should say that time is real.");
    }

    /** Gives up what {@link #open} needs. All store objects are closed before. */
    default void close() throws Exception {}
}
