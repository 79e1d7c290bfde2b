package dev.leasehold.faults;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.ForwardingStore;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Tells when a call asks for the first time, since only here its nonce is seen before it has a lease. */
final class NotingStore extends ForwardingStore {
    private final Predicate<Key> isOfInterest;
    private final Called listener;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    private final Map<Key, String> latest = new ConcurrentHashMap<>();

    /** Hears of a call before it asks. */
    interface Called {
        void called(Key key, String nonce);
    }

    NotingStore(LeaseStore store, Predicate<Key> isOfInterest, Called listener) {
        super(store);
        this.isOfInterest = isOfInterest;
        this.listener = listener;
    }

    /** The name of the last call for the key that asked; nothing if none did. */
    String latest(Key key) {
        return latest.getOrDefault(key, "");
    }

    @Override
    public AcquireResult acquire(AcquireRequest request) {
        Key key = request.key();
        String nonce = request.nonce().name();
        if (isOfInterest.test(key) && seen.add(nonce)) {
            latest.put(key, nonce);
            listener.called(key, nonce);
        }
        return store.acquire(request);
    }
}
