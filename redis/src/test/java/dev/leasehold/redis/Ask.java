package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Calls to a store, as tests make them. */
final class Ask {
    /** A TTL that no test outlives. */
    static final Duration LONG = Duration.ofMinutes(10);

    private Ask() {}

    /** A key that nobody used before. */
    static Key key() {
        return Key.of("trap/" + UUID.randomUUID());
    }

    static AcquireRequest of(Key key, Duration ttl) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return AcquireRequest.of(key, new Nonce(random.nextLong(), random.nextLong()), Owner.of("somebody"), ttl);
    }

    static AcquireRequest of(Key key) {
        return of(key, LONG);
    }

    static boolean isGranted(AcquireResult result) {
        return result instanceof AcquireResult.Granted;
    }

    static AcquireResult.Granted granted(AcquireResult result) {
        return result instanceof AcquireResult.Granted granted ? granted : fail("Not granted: %s", result);
    }

    /** The lease that this request gets, which it must. */
    static LeaseRef take(LeaseStore store, AcquireRequest request) {
        return new LeaseRef(
                request.key(), request.nonce(), granted(store.acquire(request)).fence());
    }

    static LeaseRef take(LeaseStore store, Key key) {
        return take(store, of(key));
    }
}
