package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.UUID;

/** What the tests ask of stores. */
final class Requests {
    static final Key KEY = Key.of("jobs/nightly");
    static final Owner OWNER = Owner.of("worker-1");
    static final Duration TTL = Duration.ofSeconds(30);

    private Requests() {}

    static Nonce nonce() {
        UUID random = UUID.randomUUID();
        return new Nonce(random.getMostSignificantBits(), random.getLeastSignificantBits());
    }

    static AcquireRequest request() {
        return request(KEY);
    }

    static AcquireRequest request(Key key) {
        return AcquireRequest.of(key, nonce(), OWNER, TTL);
    }

    static AcquireResult acquire(LeaseStore store) {
        return store.acquire(request());
    }

    /** Acquires and insists. */
    static LeaseRef take(LeaseStore store) {
        return take(store, KEY);
    }

    static LeaseRef take(LeaseStore store, Key key) {
        return take(store, request(key));
    }

    static LeaseRef take(LeaseStore store, AcquireRequest request) {
        AcquireResult result = store.acquire(request);
        assertThat(result).isInstanceOf(Granted.class);
        return new LeaseRef(request.key(), request.nonce(), ((Granted) result).fence());
    }
}
