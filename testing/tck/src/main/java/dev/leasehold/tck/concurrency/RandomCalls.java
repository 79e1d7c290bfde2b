package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseRequest.Ending;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Threads;
import dev.leasehold.tck.concurrency.Recorded.Look;
import dev.leasehold.tck.concurrency.Recorded.NewTtl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One thread's calls, drawn by lot, and what came of them. */
final class RandomCalls {
    /**
     * What the threads know about a key.
     *
     * @param granted the requests that got leases
     */
    record Shared(Key key, Known<AcquireRequest> requests, Known<AcquireRequest> granted, Known<LeaseRef> leases) {
        Shared(Key key) {
            this(key, new Known<>(), new Known<>(), new Known<>());
        }
    }

    private final String caller;
    private final List<LeaseStore> stores;
    private final List<Shared> keys;
    private final Key withoutEnd;
    private final Random random;
    private final List<Recorded> calls = new ArrayList<>();
    private @Nullable StoreUnavailableException outage;

    /** @param withoutEnd the key whose leases are never released, renewed or settled */
    RandomCalls(String caller, List<LeaseStore> stores, List<Shared> keys, Key withoutEnd, long seed) {
        this.caller = caller;
        this.stores = stores;
        this.keys = keys;
        this.withoutEnd = withoutEnd;
        this.random = new Random(seed);
    }

    /** Makes this many calls. */
    RandomCalls make(int count) {
        for (int i = 0; i < count; i++) {
            Shared known = keys.get(random.nextInt(keys.size()));
            if (known.key().equals(withoutEnd)) {
                makeOneWithoutEnd(known.key());
            } else {
                makeOne(known);
            }
            if (random.nextInt(4) == 0) {
                Threads.pause(Duration.ofNanos(random.nextInt(10_000_000)));
            }
        }
        return this;
    }

    List<Recorded> calls() {
        return calls;
    }

    /** The last exception that left an outcome unknown. */
    @Nullable
    StoreUnavailableException outage() {
        return outage;
    }

    private void makeOne(Shared known) {
        Key key = known.key();
        AcquireRequest request = (random.nextBoolean() ? known.requests() : known.granted()).any(random);
        LeaseRef lease = known.leases().any(random);
        int lot = random.nextInt(100);
        if (lot < 30 || request == null) {
            acquire(fresh(key), known);
        } else if (lot < 47 || lease == null) {
            acquire(request, known);
        } else if (lot < 54) {
            renew(lease);
        } else if (lot < 58) {
            renew(new NewTtl(lease, millis(20, 200)));
        } else if (lot < 71) {
            release(ReleaseRequest.of(lease));
        } else if (lot < 83) {
            release(ReleaseRequest.withdrawing(key, request.nonce()));
        } else if (lot < 86) {
            release(ReleaseRequest.of(lease).withEnding(random.nextBoolean() ? Ending.FORGET : Ending.KEEP_ATTEMPTS));
        } else if (lot < 93) {
            settle(settlement(lease));
        } else {
            look(key, known);
        }
    }

    private AcquireRequest fresh(Key key) {
        Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
        AcquireRequest request = AcquireRequest.of(key, nonce, Owner.of(caller), millis(20, 200));
        AcquireRequest delayed = random.nextInt(8) == 0 ? request.withLockDelay(millis(5, 50)) : request;
        return random.nextBoolean() ? delayed.inLineFor(millis(50, 400)) : delayed;
    }

    private SettleRequest settlement(LeaseRef lease) {
        Payload payload = Payload.of("" + random.nextInt(100));
        return random.nextBoolean()
                ? SettleRequest.checkpoint(lease, Settlement.checkpoint(payload), random.nextInt(4))
                : SettleRequest.of(lease, Settlement.done(payload, millis(20, 60)));
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(least + random.nextInt(most - least + 1));
    }

    /** Leases that nobody ends: each expires, and its holder asks again as the others take it over. */
    private void makeOneWithoutEnd(Key key) {
        LeaseStore store = store();
        if (random.nextInt(10) == 0) {
            record(new Look(key, false), () -> store.find(key));
            return;
        }
        Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
        AcquireRequest request = AcquireRequest.of(key, nonce, Owner.of(caller), millis(40, 80));
        if (record(request, () -> store.acquire(request)) instanceof Granted) {
            Threads.pause(request.ttl().plusNanos(random.nextInt(10_000_000) - 2_000_000));
            LeaseStore any = store();
            record(request, () -> any.acquire(request));
        }
    }

    private void acquire(AcquireRequest request, Shared known) {
        known.requests().add(request, random);
        LeaseStore store = store();
        if (record(request, () -> store.acquire(request)) instanceof Granted granted) {
            known.granted().add(request, random);
            known.leases().add(new LeaseRef(request.key(), request.nonce(), granted.fence()), random);
        }
    }

    private void release(ReleaseRequest request) {
        LeaseStore store = store();
        record(request, () -> store.release(request));
    }

    private void settle(SettleRequest request) {
        LeaseStore store = store();
        record(request, () -> store.settle(request));
    }

    private void look(Key key, Shared known) {
        LeaseStore store = store();
        record(new Look(key, false), () -> store.find(key));
        calls.get(calls.size() - 1)
                .found()
                .map(found -> found.record().ref())
                .ifPresent(lease -> known.leases().add(lease, random));
    }

    /** Sometimes with a lease of another key, in one call. */
    private void renew(LeaseRef lease) {
        List<LeaseRef> leases = new ArrayList<>(List.of(lease));
        LeaseRef other = keys.get(random.nextInt(keys.size())).leases().any(random);
        if (other != null && !other.key().equals(lease.key())) {
            leases.add(other);
        }
        LeaseStore store = store();
        int first = calls.size();
        Object answer = record(lease, () -> store.renew(leases));
        Recorded whole = calls.remove(first);
        for (LeaseRef one : leases) {
            Object mine = answer == null ? null : ofLease(one, (List<?>) answer);
            calls.add(new Recorded(whole.caller(), one, mine, whole.called(), whole.returned(), whole.now()));
        }
    }

    private void renew(NewTtl renewal) {
        LeaseStore store = store();
        record(renewal, () -> store.renew(renewal.lease(), renewal.ttl()));
    }

    private static Object ofLease(LeaseRef lease, List<?> renewals) {
        return renewals.stream()
                .map(Renewal.class::cast)
                .filter(renewal -> renewal.lease().equals(lease))
                .findFirst();
    }

    private LeaseStore store() {
        return stores.get(random.nextInt(stores.size()));
    }

    /** The answer; {@code null} if it is unknown. */
    private @Nullable Object record(Object request, Supplier<Object> call) {
        Object answer = null;
        long called = System.nanoTime();
        long returned = Long.MAX_VALUE;
        try {
            answer = call.get();
            returned = System.nanoTime();
        } catch (StoreUnavailableException e) {
            outage = e;
        }
        calls.add(recorded(caller, request, answer, called, returned));
        return answer;
    }

    /** A call with bounds by the JVM's clock. */
    static Recorded recorded(String caller, Object request, @Nullable Object answer, long called, long returned) {
        Span now = new Span(called / 1_000, returned / 1_000 + 1);
        return new Recorded(caller, request, answer, called, returned, now);
    }
}
