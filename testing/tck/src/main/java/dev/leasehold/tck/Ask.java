package dev.leasehold.tck;

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
public final class Ask {
    /** A TTL that no test outlives unless it moves the clock. */
    public static final Duration LONG = Duration.ofMinutes(10);

    private Ask() {}

    /** A key that nobody used before. */
    public static Key key() {
        return Key.of("test/" + UUID.randomUUID());
    }

    static Nonce nonce() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new Nonce(random.nextLong(), random.nextLong());
    }

    /** A new call for this key, which does not wait. All have the same owner, as in one process. */
    public static AcquireRequest of(Key key, Duration ttl) {
        return AcquireRequest.of(key, nonce(), Owner.of("somebody"), ttl);
    }

    public static AcquireRequest of(Key key) {
        return of(key, LONG);
    }

    public static boolean isGranted(AcquireResult result) {
        return result instanceof AcquireResult.Granted;
    }

    public static AcquireResult.Granted granted(AcquireResult result) {
        return result instanceof AcquireResult.Granted granted ? granted : fail("Not granted: %s", result);
    }

    /** The lease that this request gets, which it must. */
    public static LeaseRef take(LeaseStore store, AcquireRequest request) {
        return new LeaseRef(
                request.key(), request.nonce(), granted(store.acquire(request)).fence());
    }

    public static LeaseRef take(LeaseStore store, Key key) {
        return take(store, of(key));
    }
}
