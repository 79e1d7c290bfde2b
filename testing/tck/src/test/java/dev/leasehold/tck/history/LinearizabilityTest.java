package dev.leasehold.tck.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.tck.history.Linearizability.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The search for a linear order")
class LinearizabilityTest {
    private static final long NOW = 1_767_225_600_000_000L;
    private static final Key KEY = Key.of("linear");
    private static final Owner OWNER = Owner.of("owner");

    /** What was asked and what came back. */
    private record Verb(Object request, Object result) {}

    /** The rules of the store, at a clock that stands still. */
    private static final class Rules implements Linearizability.Model<Optional<LeaseRecord>, Verb> {
        @Override
        public Optional<LeaseRecord> initial() {
            return Optional.empty();
        }

        @Override
        public List<Optional<LeaseRecord>> apply(Optional<LeaseRecord> state, Verb verb) {
            LeaseRules.Change<?> change = change(state, verb);
            return change.result().equals(verb.result()) ? List.of(Optional.ofNullable(change.record())) : List.of();
        }

        @Override
        public List<Optional<LeaseRecord>> applyUnseen(Optional<LeaseRecord> state, Verb verb) {
            return List.of(Optional.ofNullable(change(state, verb).record()));
        }

        private static LeaseRules.Change<?> change(Optional<LeaseRecord> state, Verb verb) {
            return verb.request() instanceof AcquireRequest acquire
                    ? LeaseRules.acquire(state.orElse(null), acquire, NOW)
                    : LeaseRules.release(state.orElse(null), (ReleaseRequest) verb.request(), NOW);
        }
    }

    @Test
    @DisplayName("finds one for every small history of threads on the memory store, lost replies included")
    void memoryStoreIsLinearizable() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 300; round++) {
                List<Operation<Verb>> history = race(threads, new MemoryLeaseStore(() -> NOW), round);
                assertThat(Linearizability.check(new Rules(), history))
                        .as("round %d: %s", round, history)
                        .isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Operation<Verb>> race(ExecutorService threads, MemoryLeaseStore store, int round)
            throws Exception {
        CyclicBarrier start = new CyclicBarrier(4);
        List<Future<List<Operation<Verb>>>> parts = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            Random random = new Random(round * 31L + thread);
            parts.add(threads.submit(() -> {
                start.await(10, TimeUnit.SECONDS);
                return act(store, random);
            }));
        }
        List<Operation<Verb>> history = new ArrayList<>();
        for (Future<List<Operation<Verb>>> part : parts) {
            history.addAll(part.get(10, TimeUnit.SECONDS));
        }
        return history;
    }

    private static List<Operation<Verb>> act(MemoryLeaseStore store, Random random) {
        List<Operation<Verb>> done = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
            AcquireRequest asked = AcquireRequest.of(KEY, nonce, OWNER, Duration.ofDays(1));
            long called = System.nanoTime();
            AcquireResult result = store.acquire(asked);
            boolean isLost = random.nextInt(30) == 0;
            done.add(new Operation<>(called, isLost ? Long.MAX_VALUE : System.nanoTime(), new Verb(asked, result)));
            if (result instanceof AcquireResult.Granted granted) {
                ReleaseRequest release = ReleaseRequest.of(new LeaseRef(KEY, nonce, granted.fence()));
                long releasing = System.nanoTime();
                ReleaseResult released = store.release(release);
                done.add(new Operation<>(releasing, System.nanoTime(), new Verb(release, released)));
            }
        }
        return done;
    }

    @Test
    @DisplayName("finds none if two callers were granted at once")
    void twoHoldersAreNotLinearizable() {
        Verb first = granted(new Nonce(1, 1), 0);
        Verb second = granted(new Nonce(2, 2), 1);
        assertThat(Linearizability.check(new Rules(), List.of(new Operation<>(1, 2, first))))
                .isTrue();
        assertThat(Linearizability.check(
                        new Rules(), List.of(new Operation<>(1, 2, first), new Operation<>(3, 4, second))))
                .isFalse();
    }

    @Test
    @DisplayName("lets a release whose reply was lost take effect late, but not early")
    void lostRepliesMayHaveHappened() {
        Verb first = granted(new Nonce(1, 1), 0);
        AcquireResult.Granted lease = (AcquireResult.Granted) first.result();
        ReleaseRequest release = ReleaseRequest.of(new LeaseRef(KEY, new Nonce(1, 1), lease.fence()));
        Verb second = granted(new Nonce(2, 2), 1);
        Operation<Verb> unknown = new Operation<>(3, Long.MAX_VALUE, new Verb(release, ReleaseResult.RELEASED));
        assertThat(Linearizability.check(
                        new Rules(), List.of(new Operation<>(1, 2, first), unknown, new Operation<>(5, 6, second))))
                .isTrue();
        Operation<Verb> tooLate = new Operation<>(7, Long.MAX_VALUE, unknown.operation());
        assertThat(Linearizability.check(
                        new Rules(), List.of(new Operation<>(1, 2, first), tooLate, new Operation<>(5, 6, second))))
                .isFalse();
    }

    private static Verb granted(Nonce nonce, long later) {
        AcquireRequest asked = AcquireRequest.of(KEY, nonce, OWNER, Duration.ofDays(1));
        AcquireResult.Granted plain = (AcquireResult.Granted)
                LeaseRules.acquire(null, asked, NOW + later).result();
        return new Verb(asked, plain);
    }
}
