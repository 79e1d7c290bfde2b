package dev.leasehold.faults;

import java.util.Optional;

/** A lock of another library, used as its documentation says, by one thread. */
interface Peer extends AutoCloseable {
    /** Takes the lock if it is free. */
    Optional<Hold> tryAcquire(String key) throws Exception;

    @Override
    void close();

    /** A lock that is held. */
    interface Hold {
        /** Makes it last for another TTL; false if it is not ours any more. */
        boolean renew() throws Exception;

        void release() throws Exception;
    }
}
