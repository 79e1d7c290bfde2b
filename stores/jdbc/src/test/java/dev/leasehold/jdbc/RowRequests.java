package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Short words for what tests ask of a store. */
final class RowRequests {
    private RowRequests() {}

    static AcquireRequest ask(String key, String owner, Duration ttl) {
        Nonce nonce = new Nonce(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE), 7);
        return AcquireRequest.of(Key.of(key), nonce, Owner.of(owner), ttl);
    }

    /** The lease, which must be had. */
    static LeaseRef take(LeaseStore store, String key, String owner, Duration ttl) {
        AcquireRequest request = ask(key, owner, ttl);
        AcquireResult result = store.acquire(request);
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return new LeaseRef(request.key(), request.nonce(), ((AcquireResult.Granted) result).fence());
    }
}
