package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.Message;
import dev.leasehold.servers.firestore.FaultHook;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Every request of every verb fails once, before and after it is applied, with every passing error: the answer is the same
 * as without the fault. And a rival commits between the read and the commit of every verb.
 */
@Tag("slow")
@DisplayName("Faults of Firestore")
class RequestFaultsTest {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static final List<Status> PASSING = List.of(
            Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED, Status.INTERNAL, Status.ABORTED, Status.RESOURCE_EXHAUSTED);

    /** A server and two stores on it, on a collection of leases or on documents. */
    private static final class Bench implements AutoCloseable {
        private final TestFirestore server;
        private final LeaseStore store;
        private final LeaseStore rival;
        private final DocumentsUnderTest documents;
        private final Mode mode;
        private final boolean isOnDocuments;

        Bench(Mode mode, boolean isOnDocuments) {
            this(mode, isOnDocuments, mapping -> mapping);
        }

        Bench(Mode mode, boolean isOnDocuments, UnaryOperator<DocumentMapping> shape) {
            this(mode, isOnDocuments, shape, false);
        }

        /**
         * Opens two stores.
         *
         * @param onUsersClient whether the first is on a client as users make it, which sends some requests again by itself
         */
        Bench(Mode mode, boolean isOnDocuments, UnaryOperator<DocumentMapping> shape, boolean onUsersClient) {
            this.server = new TestFirestore(mode);
            this.mode = mode;
            this.isOnDocuments = isOnDocuments;
            this.documents = new DocumentsUnderTest(server, shape);
            this.store = open(onUsersClient ? FirestoreLeaseStore.builder(documents.client) : server.builder());
            this.rival = open(server.builder());
        }

        private LeaseStore open(FirestoreLeaseStoreBuilder builder) {
            return isOnDocuments ? builder.onDocuments(documents.mapping) : builder.open();
        }

        Key key() {
            String id = UUID.randomUUID().toString();
            documents.create(id, "PENDING", "text");
            return documents.keyOf(id);
        }

        boolean hasFence() {
            return !isOnDocuments || documents.mapping.has(DocumentMapping.Role.FENCE);
        }

        Settlement done() {
            return isOnDocuments
                    ? Settlement.done(Fields.of("text", "done"))
                    : Settlement.done(Payload.of("done"), Duration.ofDays(1));
        }

        @Override
        public void close() {
            store.close();
            rival.close();
            documents.close();
            server.close();
        }
    }

    private static AcquireRequest ask(Key key) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return AcquireRequest.of(key, new Nonce(random.nextLong(), random.nextLong()), Owner.of("worker"), TTL);
    }

    private static LeaseRef take(LeaseStore store, Key key) {
        AcquireRequest request = ask(key);
        return new LeaseRef(key, request.nonce(), ((AcquireResult.Granted) store.acquire(request)).fence());
    }

    /** A verb that is asked of the bench's store after some preparation by its rival, with what is right. */
    private enum Verb {
        ACQUIRE {
            @Override
            boolean ask(Bench bench, LeaseRef lease, AcquireRequest request) {
                AcquireResult.Granted granted = (AcquireResult.Granted) bench.store.acquire(request);
                LeaseSnapshot found = bench.rival.find(request.key()).orElseThrow();
                return granted.attempt() == 1
                        && found.isHeld()
                        && (!bench.hasFence()
                                || granted.fence().equals(found.record().fence()));
            }
        },
        RENEW {
            @Override
            boolean ask(Bench bench, LeaseRef lease, AcquireRequest request) {
                return bench.store.renew(List.of(lease)).size() == 1;
            }
        },
        RENEW_WITH_TTL {
            @Override
            boolean ask(Bench bench, LeaseRef lease, AcquireRequest request) {
                return bench.store
                        .renew(lease, TTL.multipliedBy(2))
                        .orElseThrow()
                        .remaining()
                        .equals(TTL.multipliedBy(2));
            }
        },
        RELEASE {
            @Override
            boolean ask(Bench bench, LeaseRef lease, AcquireRequest request) {
                return bench.store.release(ReleaseRequest.of(lease)) == ReleaseResult.RELEASED
                        && !bench.rival.find(lease.key()).orElseThrow().isHeld();
            }
        },
        SETTLE {
            @Override
            boolean ask(Bench bench, LeaseRef lease, AcquireRequest request) {
                return bench.store.settle(SettleRequest.of(lease, bench.done())).isSettled()
                        && bench.rival.find(lease.key()).orElseThrow().isSettled();
            }
        },
        FIND {
            @Override
            boolean ask(Bench bench, LeaseRef lease, AcquireRequest request) {
                return bench.store.find(lease.key()).orElseThrow().isHeld();
            }
        };

        abstract boolean ask(Bench bench, LeaseRef lease, AcquireRequest request);
    }

    /** Fails the n-th request from now on, once. */
    private static final class FailOnce implements FaultHook {
        private final Status status;
        private final boolean isApplied;
        private final AtomicInteger left;
        private final AtomicBoolean hasStruck = new AtomicBoolean();

        FailOnce(Status status, boolean isApplied, int number) {
            this.status = status;
            this.isApplied = isApplied;
            this.left = new AtomicInteger(number);
        }

        private void strike(String method) {
            if (!method.equals("Rollback") && left.getAndDecrement() == 0) {
                hasStruck.set(true);
                throw status.withDescription("the test's fault").asRuntimeException();
            }
        }

        @Override
        public void before(String method, Message request) {
            if (!isApplied) {
                strike(method);
            }
        }

        @Override
        public void after(String method, Message request) {
            if (isApplied) {
                strike(method);
            }
        }
    }

    private static Stream<DynamicTest> inAllPlaces(String name, Body body) {
        List<DynamicTest> tests = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            for (boolean isOnDocuments : new boolean[] {false, true}) {
                tests.add(DynamicTest.dynamicTest(name + ", " + place(mode, isOnDocuments), () -> {
                    try (Bench bench = new Bench(mode, isOnDocuments)) {
                        body.run(bench);
                    }
                }));
            }
        }
        return tests.stream();
    }

    private interface Body {
        void run(Bench bench) throws Exception;
    }

    @TestFactory
    Stream<DynamicTest> everyRequestFailsOnce() {
        return inAllPlaces(
                "each request of each verb fails once, and the answer is the same",
                RequestFaultsTest::assertEachFailsOnce);
    }

    @TestFactory
    Stream<DynamicTest> everyRequestFailsOnceOnAUsersClient() {
        return Stream.of(Mode.values())
                .flatMap(mode -> Stream.of(false, true)
                        .map(isOnDocuments -> DynamicTest.dynamicTest(
                                "the same on a client that sends requests again, " + place(mode, isOnDocuments), () -> {
                                    try (Bench bench = new Bench(mode, isOnDocuments, mapping -> mapping, true)) {
                                        assertEachFailsOnce(bench);
                                    }
                                })));
    }

    private static void assertEachFailsOnce(Bench bench) {
        for (Verb verb : Verb.values()) {
            for (Status status : PASSING) {
                boolean isWaitedFor = status.getCode() == Status.Code.RESOURCE_EXHAUSTED;
                if (isWaitedFor && verb != Verb.ACQUIRE) {
                    continue; // Half a second each time: one verb stands for all.
                }
                for (boolean isApplied : new boolean[] {false, true}) {
                    assertThat(struck(bench, verb, status, isApplied))
                            .as("requests that failed: %s %s", verb, status)
                            .isPositive();
                }
            }
        }
    }

    private static String place(Mode mode, boolean isOnDocuments) {
        return mode + (isOnDocuments ? ", on documents" : ", own collection");
    }

    @TestFactory
    Stream<DynamicTest> everyRequestFailsOnceWithoutAFence() {
        Map<String, UnaryOperator<DocumentMapping>> shapes = Map.of(
                "the nonce behind the owner", DocumentLeaseTest::withoutFence,
                "owner and expiry",
                        mapping -> DocumentLeaseTest.withoutFence(mapping).ownerAsIs(),
                "owner and fence", DocumentMapping::ownerAsIs);
        return shapes.entrySet().stream()
                .map(shape -> DynamicTest.dynamicTest(
                        "a lease that is known by " + shape.getKey() + " survives a lost reply to each request", () -> {
                            try (Bench bench = new Bench(Mode.OPTIMISTIC, true, shape.getValue())) {
                                for (Verb verb : Verb.values()) {
                                    assertThat(struck(bench, verb, Status.UNAVAILABLE, true))
                                            .isPositive();
                                }
                            }
                        }));
    }

    private static int struck(Bench bench, Verb verb, Status status, boolean isApplied) {
        for (int number = 0; ; number++) {
            LeaseRef lease = take(bench.store, bench.key());
            AcquireRequest request = ask(bench.key());
            FailOnce fault = new FailOnce(status, isApplied, number);
            bench.server.server.disturb(fault);
            boolean answer;
            try {
                answer = verb.ask(bench, lease, request);
            } finally {
                bench.server.server.disturb(FaultHook.NONE);
            }
            assertThat(answer)
                    .as("%s, %s %s request %s", verb, status.getCode(), isApplied ? "after" : "before", number)
                    .isTrue();
            if (!fault.hasStruck.get()) {
                return number;
            }
        }
    }

    /** Lets a rival do something just before the first commit arrives. */
    private static final class Meanwhile implements FaultHook {
        private final AtomicBoolean isFirst = new AtomicBoolean(true);
        private final Runnable rival;

        Meanwhile(Runnable rival) {
            this.rival = rival;
        }

        @Override
        public void before(String method, Message request) {
            if (method.equals("Commit") && isFirst.getAndSet(false)) {
                rival.run();
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> aRivalCommitsBetweenReadAndCommit() {
        return inAllPlaces("a rival's commit between read and commit is seen", bench -> {
            // In pessimistic mode a transaction's read lock keeps the rival out until its commit has failed or passed.
            boolean isLocked = bench.isOnDocuments && bench.mode == Mode.PESSIMISTIC;
            AcquireRequest request = ask(bench.key());
            if (!isLocked) {
                bench.server.server.disturb(new Meanwhile(() -> take(bench.rival, request.key())));
                assertThat(bench.store.acquire(request)).isInstanceOf(AcquireResult.Held.class);
            }

            LeaseRef released = take(bench.store, bench.key());
            if (!isLocked) {
                bench.server.server.disturb(new Meanwhile(() -> {
                    bench.rival.release(ReleaseRequest.of(released));
                    take(bench.rival, released.key());
                }));
                assertThat(bench.store.release(ReleaseRequest.of(released)))
                        .as("the rival has released it, with the same nonce")
                        .isEqualTo(ReleaseResult.RELEASED);
                assertThat(bench.rival.find(released.key()).orElseThrow().isHeld())
                        .as("by its next holder")
                        .isTrue();
            }

            LeaseRef renewed = take(bench.store, bench.key());
            LeaseRef bystander = take(bench.store, bench.key());
            bench.server.server.disturb(new Meanwhile(() -> {
                bench.rival.release(ReleaseRequest.of(renewed));
                take(bench.rival, renewed.key());
            }));
            assertThat(bench.store.renew(List.of(renewed, bystander)))
                    .as("the other lease of the batch is extended")
                    .singleElement()
                    .satisfies(renewal -> assertThat(renewal.lease()).isEqualTo(bystander))
                    .satisfies(renewal -> assertThat(renewal.isExtended()).isTrue());

            LeaseRef settled = take(bench.store, bench.key());
            if (!isLocked) {
                bench.server.server.disturb(new Meanwhile(() -> {
                    bench.rival.release(ReleaseRequest.of(settled));
                    take(bench.rival, settled.key());
                }));
                assertThat(bench.store
                                .settle(SettleRequest.of(settled, bench.done()))
                                .isSettled())
                        .isFalse();
            }
            LeaseRef harmless = take(bench.store, bench.key());
            if (bench.isOnDocuments) {
                String id = harmless.key().value().replaceAll(".*/", "");
                bench.server.server.disturb(new Meanwhile(() -> bench.rival.find(harmless.key())));
                assertThat(bench.store
                                .settle(SettleRequest.of(harmless, bench.done()))
                                .isSettled())
                        .isTrue();
                assertThat(bench.documents.data(id)).containsEntry("status", "READY");
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> whatCannotPass() {
        return inAllPlaces("errors that will not pass are told at once, with what to do", bench -> {
            Key key = bench.key();
            for (Status status : List.of(Status.PERMISSION_DENIED, Status.UNAUTHENTICATED)) {
                bench.server.server.disturb(always(status));
                long start = System.nanoTime();
                assertThatExceptionOfType(StoreException.class)
                        .isThrownBy(() -> bench.store.acquire(ask(key)))
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .withMessageContaining("test/(default)")
                        .withMessageContaining(
                                status.getCode() == Status.Code.PERMISSION_DENIED ? "datastore.user" : "GOOGLE_");
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
            }
        });
    }

    private static FaultHook always(Status status) {
        return new FaultHook() {
            @Override
            public void before(String method, Message request) {
                throw status.withDescription("the test's fault").asRuntimeException();
            }
        };
    }

    @TestFactory
    Stream<DynamicTest> silence() {
        return inAllPlaces("a server that falls silent is unavailable once the call's time is over", bench -> {
            Key key = bench.key();
            LeaseStore hasty = bench.isOnDocuments
                    ? bench.server.builder().callLimit(Duration.ofMillis(800)).onDocuments(bench.documents.mapping)
                    : bench.server.builder().callLimit(Duration.ofMillis(800)).open();
            bench.server.server.disturb(new FaultHook() {
                @Override
                public void before(String method, Message request) {
                    throw new Silence();
                }
            });
            long start = System.nanoTime();
            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> hasty.acquire(ask(key)));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(hasty.longestCall());
            hasty.close();
        });
    }

    @TestFactory
    Stream<DynamicTest> lostCommits() {
        return inAllPlaces("a grant whose commits are applied without an answer is found", bench -> {
            Key key = bench.key();
            AtomicInteger lost = new AtomicInteger();
            bench.server.server.disturb(new FaultHook() {
                @Override
                public void after(String method, Message request) {
                    if (method.equals("Commit") && lost.getAndIncrement() < 2) {
                        throw new Silence();
                    }
                }
            });
            assertThat(bench.store.acquire(ask(key))).isInstanceOf(AcquireResult.Granted.class);
            assertThat(lost).hasValueGreaterThanOrEqualTo(1);
        });
    }

    @TestFactory
    Stream<DynamicTest> lostReads() {
        return inAllPlaces("a read without an answer keeps nobody from the record", bench -> {
            LeaseRef lease = take(bench.store, bench.key());
            AtomicBoolean isLost = new AtomicBoolean();
            bench.server.server.disturb(new FaultHook() {
                @Override
                public void after(String method, Message request) {
                    if (method.equals("BatchGetDocuments") && isLost.compareAndSet(false, true)) {
                        throw new Silence();
                    }
                }
            });
            SettleResult settled = bench.store.settle(SettleRequest.of(lease, bench.done()));
            assertThat(isLost).isTrue();
            assertThat(settled.isSettled()).isTrue();
        });
    }
}
