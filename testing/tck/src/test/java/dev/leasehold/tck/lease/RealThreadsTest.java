package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import dev.leasehold.tck.Threads;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What manual time cannot show: how many threads there are, and that none of them waits for another. */
@Tag("slow")
@Timeout(60)
class RealThreadsTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    private final FaultyStore store = FaultyStore.inRealTime(new MemoryLeaseStore());
    private final List<Leases> clients = new ArrayList<>();

    private Leases client(LeaseStore view) {
        Leases client = Leases.builder(view).withoutLog().build();
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(Leases::close);
        store.close();
    }

    @Test
    @DisplayName("R14 Ten thousand leases are kept by one thread, in requests of thousands")
    void oneThreadKeepsThemAll() throws InterruptedException {
        Set<Thread> keepersOfOthers = keepers();
        int all = Thread.activeCount();
        Leases leases = client(store);
        Map<String, AtomicInteger> renewals = new ConcurrentHashMap<>();
        List<String> troubles = new ArrayList<>();
        leases.onEvent(event -> {
            if (event instanceof LeaseEvent.Renewed) {
                renewals.computeIfAbsent(event.source().leaseId(), id -> new AtomicInteger())
                        .incrementAndGet();
            } else if (!(event instanceof LeaseEvent.Acquired)) {
                troubles.add(event.type());
            }
        });
        List<Lease> held = acquireMany(leases, 10_000);
        int mostThreads = 0;
        for (int i = 0; i < 65; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
            mostThreads = Math.max(mostThreads, Thread.activeCount() - all);
        }
        assertThat(held).allMatch(Lease::isValid);
        assertThat(troubles).isEmpty();
        assertThat(renewals).hasSize(10_000);
        assertThat(renewals.values()).allMatch(count -> count.get() >= 2);
        assertThat(keepers())
                .filteredOn(thread -> !keepersOfOthers.contains(thread))
                .hasSize(1);
        assertThat(mostThreads).as("keeper, request and callback threads").isLessThan(8);
        assertThat(store.calls(Verb.RENEW)).as("requests in a good TTL").isLessThan(150);
    }

    @Test
    @DisplayName("E04 A listener that blocks holds up neither renewals nor other listeners")
    void blockingListenerHoldsUpNobody() throws InterruptedException {
        Leases leases = client(store);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        Map<String, Integer> told = new ConcurrentHashMap<>();
        List<Lease> held = acquireMany(leases, 1_500);
        leases.onEvent(event -> awaitUninterruptibly(mayGoOn));
        leases.onEvent(event -> told.merge(event.type(), 1, Integer::sum));
        TimeUnit.MILLISECONDS.sleep(TTL.toMillis());
        assertThat(held).allMatch(Lease::isValid);
        assertThat(told.keySet()).containsExactly("lock:renewed");
        assertThat(told.get("lock:renewed")).isGreaterThanOrEqualTo(3_000);
        mayGoOn.countDown();
    }

    @Test
    @DisplayName("E05 Listeners that release from within an event, on many threads, do not lock each other up")
    void releasingListenersDoNotDeadlock() throws Exception {
        Leases leases = client(new MemoryLeaseStore());
        Map<String, Lease> held = new ConcurrentHashMap<>();
        CountDownLatch released = new CountDownLatch(200);
        leases.onEvent(event -> {
            if (event instanceof LeaseEvent.Renewed) {
                held.get(event.source().leaseId()).release();
            } else if (event instanceof LeaseEvent.Released) {
                released.countDown();
            }
        });
        for (int i = 0; i < 200; i++) {
            Lease lease = leases.tryAcquire(
                            Key.of("many", "" + i), LeaseOptions.noWait().withTtl(Duration.ofSeconds(1)))
                    .orElseThrow();
            held.put(lease.id(), lease);
        }
        assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("W06 Ten thousand threads, virtual ones if there are any, and four connections: everyone gets a turn")
    void nobodyStarves() throws Exception {
        int count = 10_000;
        Leases leases = client(withConnections(4));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        ExecutorService threads = manyThreads();
        try {
            List<Future<Integer>> futures = IntStream.range(0, count)
                    .mapToObj(number -> threads.submit(() ->
                            leases.with(KEY, LeaseOptions.waitFor(Duration.ofMinutes(1)), lease -> {
                                assertThat(inside.incrementAndGet()).isEqualTo(1);
                                inside.decrementAndGet();
                                return turns.incrementAndGet();
                            })))
                    .toList();
            for (Future<Integer> future : futures) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(turns).hasValue(count);
    }

    @Test
    @DisplayName("W08 A client is closed when the store has everything back: a place in line, and one still asked for")
    void closingWaitsForTheStore() {
        MemoryLeaseStore memory = new MemoryLeaseStore();
        Key other = Key.of("other");
        try (Leases holder = Leases.builder(memory).withoutLog().build()) {
            holder.tryAcquire(KEY).orElseThrow();
            holder.tryAcquire(other).orElseThrow();
            CountDownLatch asked = new CountDownLatch(2);
            Leases leases = client(new SlowStore(memory, asked));
            CountDownLatch refused = new CountDownLatch(1);
            leases.onEvent(event -> refused.countDown());
            CompletableFuture<Acquisition> first = leases.acquireAsync(KEY, LeaseOptions.waitFor(TTL));
            awaitUninterruptibly(refused);
            CompletableFuture<Acquisition> second = leases.acquireAsync(other, LeaseOptions.waitFor(TTL));
            awaitUninterruptibly(asked);
            leases.close();
            assertThat(List.of(first, second)).allMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(lineOf(memory, KEY)).isZero();
            assertThat(lineOf(memory, other)).isZero();
        }
    }

    /** What is to be given back is under way for a while, and what is asked for still longer. */
    private static final class SlowStore extends ForwardingStore {
        private final CountDownLatch asked;

        SlowStore(LeaseStore store, CountDownLatch asked) {
            super(store);
            this.asked = asked;
        }

        @Override
        public AcquireResult acquire(AcquireRequest request) {
            asked.countDown();
            pass(300);
            return super.acquire(request);
        }

        @Override
        public ReleaseResult release(ReleaseRequest request) {
            pass(100);
            return super.release(request);
        }

        private static void pass(long millis) {
            try {
                TimeUnit.MILLISECONDS.sleep(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int lineOf(LeaseStore store, Key key) {
        return store.find(key).map(found -> found.record().line().size()).orElse(0);
    }

    private static List<Lease> acquireMany(Leases leases, int count) {
        LeaseOptions options = LeaseOptions.noWait().withTtl(TTL);
        return IntStream.range(0, count)
                .mapToObj(number -> leases.tryAcquire(Key.of("many", Integer.toString(number)), options)
                        .orElseThrow())
                .toList();
    }

    /** Those of closed clients among them, which may take a moment to end: told apart by who they are, not by number. */
    private static Set<Thread> keepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("leasehold-keeper"))
                .collect(Collectors.toSet());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Found by its name, because the library is built for a JDK that has no virtual threads. */
    private static ExecutorService manyThreads() throws ReflectiveOperationException {
        for (var method : Executors.class.getMethods()) {
            if (method.getName().equals("newVirtualThreadPerTaskExecutor")) {
                return (ExecutorService) method.invoke(null);
            }
        }
        return Executors.newFixedThreadPool(500);
    }

    /** A store that no more than so many threads can use at once, and that makes the others wait. */
    private static LeaseStore withConnections(int count) {
        MemoryLeaseStore memory = new MemoryLeaseStore();
        Semaphore connections = new Semaphore(count);
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (proxy, method, arguments) -> {
                    connections.acquire();
                    try {
                        return method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        connections.release();
                    }
                });
    }

    @Test
    @Timeout(60)
    @DisplayName("A caller in line waits no longer than it wants although subscribing to wake-ups takes long")
    void slowSubscription() throws Exception {
        CountDownLatch mayAnswer = new CountDownLatch(1);
        CountDownLatch isAsked = new CountDownLatch(1);
        MemoryLeaseStore memory = new MemoryLeaseStore();
        memory.acquire(AcquireRequest.of(Key.of("k"), new Nonce(1, 1), Owner.of("other"), Duration.ofHours(1)));
        LeaseStore slow = new ForwardingStore(memory) {
            @Override
            public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
                isAsked.countDown();
                try {
                    mayAnswer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return super.onWakeUp(listener);
            }
        };
        try (Leases leases = Leases.builder(slow).withoutLog().build()) {
            Threads.Running<Acquisition> waiting =
                    Threads.start(() -> leases.acquire("k", LeaseOptions.waitFor(Duration.ofMillis(50))));
            assertThat(waiting.get()).isInstanceOf(Acquisition.Refused.class);
            isAsked.await();
        } finally {
            mayAnswer.countDown();
        }
    }
}
