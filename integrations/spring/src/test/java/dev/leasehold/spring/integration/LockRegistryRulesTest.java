package dev.leasehold.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Leases;
import dev.leasehold.spring.bridge.RealStore;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/** The rules that Spring Integration's tests have for its JDBC registry, and what an application sees of them. */
@ParameterizedClass(name = "{0}")
@EnumSource(RealStore.class)
@Tag("slow")
@DisplayName("Spring Integration's rules for a lock registry")
@Timeout(120)
@SuppressWarnings("LockNotBeforeTry") // Locks are what is tested.
class LockRegistryRulesTest {
    private static final Duration SHORT = Duration.ofMillis(100);

    @Parameter
    private RealStore kind;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final String foo = "foo " + UUID.randomUUID();

    private LeaseStore store;
    private LeaseLockRegistry registry;

    @BeforeEach
    void open() {
        registry = process(LeaseLockRegistry.DEFAULT_TIME_TO_LIVE);
    }

    @AfterEach
    void close() throws Exception {
        threads.shutdownNow();
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** A registry as another process has it. */
    private LeaseLockRegistry process(Duration ttl) {
        store = kind.open();
        Leases leases = Leases.on(store);
        LeaseLockRegistry made = new LeaseLockRegistry(leases, "DEFAULT", ttl);
        opened.add(0, store);
        opened.add(0, leases);
        opened.add(0, made);
        return made;
    }

    private <T> T elsewhere(Callable<T> work) throws Exception {
        return threads.submit(work).get(60, TimeUnit.SECONDS);
    }

    private static boolean isTried(Lock lock, long millis) throws InterruptedException {
        boolean isLocked = lock.tryLock(millis, TimeUnit.MILLISECONDS);
        if (isLocked) {
            lock.unlock();
        }
        return isLocked;
    }

    @Test
    @DisplayName("A lock is locked and unlocked, and remembered until it is old")
    void locks() throws Exception {
        for (int i = 0; i < 10; i++) {
            Lock lock = registry.obtain(foo);
            lock.lock();
            assertThat(registry.size()).isEqualTo(1);
            lock.unlock();
            lock.lockInterruptibly();
            lock.unlock();
        }
        registry.expireUnusedOlderThan(-10_000);
        assertThat(registry.size()).isZero();
    }

    @Test
    @DisplayName("A lock that is held is not forgotten, however old")
    void heldIsRemembered() {
        Lock lock = registry.obtain(foo);
        lock.lock();
        registry.expireUnusedOlderThan(-10_000);
        assertThat(registry.obtain(foo)).isSameAs(lock);
        lock.unlock();
    }

    @Test
    @DisplayName("The same key gives the same lock, which its holder may lock again")
    void reentrant() throws Exception {
        Lock one = registry.obtain(foo);
        one.lock();
        Lock two = registry.obtain(foo);
        assertThat(two).isSameAs(one);
        two.lock();
        two.lockInterruptibly();
        assertThat(two.tryLock()).isTrue();
        two.unlock();
        two.unlock();
        two.unlock();
        assertThat(elsewhere(() -> isTried(two, 0))).isFalse();
        one.unlock();
        assertThat(elsewhere(() -> isTried(two, 0))).isTrue();
    }

    @Test
    @DisplayName("Two keys are two locks, which exclude nobody of the other")
    void twoLocks() throws Exception {
        Lock one = registry.obtain(foo);
        Lock two = registry.obtain(foo + " bar");
        assertThat(two).isNotSameAs(one);
        one.lockInterruptibly();
        two.lockInterruptibly();
        two.unlock();
        one.unlock();
    }

    @Test
    @DisplayName("A key may be any text, and nothing but text")
    void keys() {
        for (String key : List.of("", "a/b", ".", "..", "x\n", "\ud800", "ä".repeat(5_000))) {
            Lock lock = registry.obtain(key + foo);
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
        assertThatThrownBy(() -> registry.obtain(7)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("A second thread waits as long as it says, is told no, and owns nothing")
    void secondThread() throws Exception {
        Lock lock = registry.obtain(foo);
        lock.lockInterruptibly();
        elsewhere(() -> {
            long start = System.nanoTime();
            assertThat(lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(190), Duration.ofSeconds(5));
            return assertThatThrownBy(lock::unlock)
                    .isInstanceOf(IllegalMonitorStateException.class)
                    .hasMessageContaining("own");
        });
        lock.unlock();
    }

    @Test
    @DisplayName("A second thread, in this process or another, has the lock after the first")
    void handedOver() throws Exception {
        LeaseLockRegistry other = process(LeaseLockRegistry.DEFAULT_TIME_TO_LIVE);
        for (LeaseLockRegistry second : List.of(registry, other)) {
            for (int i = 0; i < 20; i++) {
                Lock lock = registry.obtain(foo);
                lock.lockInterruptibly();
                CountDownLatch begun = new CountDownLatch(1);
                Future<Boolean> waiter = threads.submit(() -> {
                    begun.countDown();
                    return isTried(second.obtain(foo), 30_000);
                });
                assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
                assertThat(waiter.isDone()).isFalse();
                lock.unlock();
                assertThat(waiter.get(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    @DisplayName("Of twenty processes one does the work")
    void onlyOne() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Void>> all = new ArrayList<>();
        List<LeaseLockRegistry> processes =
                List.of(registry, process(Duration.ofSeconds(10)), process(Duration.ofSeconds(10)));
        for (int i = 0; i < 20; i++) {
            DistributedLock lock = processes.get(i % processes.size()).obtain(foo);
            all.add(threads.submit(() -> {
                assertThat(lock.tryLock(Long.MAX_VALUE, TimeUnit.MILLISECONDS)).isTrue();
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Thread.sleep(2);
                inside.decrementAndGet();
                lock.unlock();
                return null;
            }));
        }
        for (Future<Void> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(most).hasValue(1);
    }

    @Test
    @DisplayName("A thread that does not own the lock cannot unlock it")
    void wrongThread() throws Exception {
        Lock lock = registry.obtain(foo);
        lock.lockInterruptibly();
        elsewhere(() -> assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("own"));
        assertThat(elsewhere(() -> isTried(lock, 0))).isFalse();
        lock.unlock();
    }

    @Test
    @DisplayName("lock() keeps an interrupt for later; lockInterruptibly() and tryLock() with a time are ended by one")
    void interrupts() {
        DistributedLock lock = registry.obtain(foo);
        Thread.currentThread().interrupt();
        lock.lock(Duration.ofSeconds(10));
        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();
        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @DisplayName("A lock may have a time to live of its own, longer than the registry's")
    void ownTtl() throws Exception {
        LeaseLockRegistry brief = process(SHORT);
        DistributedLock lock = brief.obtain(foo);
        for (int i = 0; i < 3; i++) {
            lock.lock(Duration.ofSeconds(1));
            Thread.sleep(200);
            assertThat(elsewhere(() -> isTried(registry.obtain(foo), 0))).isFalse();
            lock.unlock();
            assertThat(lock.tryLock(Duration.ofMillis(100), Duration.ofSeconds(1)))
                    .isTrue();
            Thread.sleep(200);
            lock.unlock();
        }
    }

    @Test
    @DisplayName("A lock that expired may be locked again by its holder, and unlocked if nobody had it since")
    void reentrantAfterExpiry() throws Exception {
        LeaseLockRegistry brief = process(Duration.ofMillis(1));
        Lock lock = brief.obtain(foo);
        assertThat(lock.tryLock()).isTrue();
        Thread.sleep(100);
        assertThat(brief.obtain(foo)).isSameAs(lock);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThatNoException().isThrownBy(lock::unlock);
    }

    @Test
    @DisplayName("A lock that expired is another's, and its holder is told so when it unlocks")
    void expired() throws Exception {
        LeaseLockRegistry brief = process(SHORT);
        Lock lock = brief.obtain(foo);
        lock.lock();
        Thread.sleep(300);
        Lock next = registry.obtain(foo);
        assertThat(elsewhere(() -> isTried(next, 10_000))).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @DisplayName("A late unlock takes nothing from the next holder")
    void staleUnlock() throws Exception {
        Lock lock = process(SHORT).obtain(foo);
        lock.lock();
        Thread.sleep(300);
        Lock next = registry.obtain(foo);
        assertThat(next.tryLock(10, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(elsewhere(() -> isTried(next, 0))).isFalse();
        next.unlock();
    }

    @Test
    @DisplayName("A lock that expired within a process is another thread's there, too")
    void expiredWithinProcess() throws Exception {
        Lock lock = process(SHORT).obtain(foo);
        lock.lock();
        assertThat(elsewhere(() -> isTried(lock, 10_000))).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    @DisplayName("A lock that expired and of which the store knows nothing any more is not unlocked quietly")
    void expiredAndPurged() throws Exception {
        Lock lock = process(SHORT).obtain(foo);
        lock.lock();
        Thread.sleep(300);
        Lock other = registry.obtain(foo);
        assertThat(other.tryLock()).isTrue();
        other.unlock();
        Thread.sleep(10);
        store.purge(Duration.ZERO, 1_000);
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
    }

    @Test
    @DisplayName("A renewed lock outlives its time to live")
    void renew() throws Exception {
        LeaseLockRegistry brief = process(Duration.ofMillis(500));
        Lock lock = brief.obtain(foo);
        lock.lock();
        for (int i = 0; i < 10; i++) {
            Thread.sleep(100);
            brief.renewLock(foo);
            assertThat(elsewhere(() -> isTried(registry.obtain(foo), 0))).isFalse();
        }
        brief.renewLock(foo, Duration.ofSeconds(5));
        Thread.sleep(700);
        assertThat(elsewhere(() -> isTried(registry.obtain(foo), 0))).isFalse();
        assertThatNoException().isThrownBy(lock::unlock);
    }

    @Test
    @DisplayName("A lock is not renewed by a thread that does not own it, nor after it expired")
    void renewNotOwned() throws Exception {
        assertThatThrownBy(() -> registry.renewLock("unknown")).isInstanceOf(IllegalStateException.class);
        Lock lock = registry.obtain(foo);
        assertThatThrownBy(() -> registry.renewLock(foo)).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        elsewhere(() ->
                assertThatThrownBy(() -> registry.renewLock(foo)).isInstanceOf(IllegalMonitorStateException.class));
        lock.unlock();

        LeaseLockRegistry brief = process(SHORT);
        Lock expiring = brief.obtain(foo);
        expiring.lock();
        Thread.sleep(300);
        assertThatThrownBy(() -> brief.renewLock(foo)).isInstanceOf(IllegalStateException.class);
        expiring.unlock();
    }

    @Test
    @DisplayName("With a scheduler for renewals a lock lives until it is unlocked")
    void renewing() throws Exception {
        LeaseLockRegistry brief = process(SHORT);
        brief.setRenewalTaskScheduler(new SimpleAsyncTaskScheduler());
        Lock lock = brief.obtain(foo);
        lock.lock();
        Thread.sleep(2_500);
        assertThat(elsewhere(() -> isTried(registry.obtain(foo), 0))).isFalse();
        lock.unlock();
        assertThat(elsewhere(() -> isTried(registry.obtain(foo), 5_000))).isTrue();
    }

    @Test
    @DisplayName("It remembers so many locks, those that were obtained last")
    void capacity() throws Exception {
        registry.setCacheCapacity(4);
        List<Lock> locks = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            locks.add(registry.obtain(foo + i));
        }
        registry.setCacheCapacity(3);
        registry.obtain(foo + 3);
        assertThat(registry.size()).isEqualTo(3);
        assertThat(registry.obtain(foo + 1)).isSameAs(locks.get(1));
        registry.obtain(foo + 4);
        assertThat(registry.size()).isEqualTo(3);
        assertThat(registry.obtain(foo + 1)).isSameAs(locks.get(1));
        assertThat(registry.obtain(foo + 2)).isNotSameAs(locks.get(2));

        registry.setCacheCapacity(17);
        List<Future<?>> all = new ArrayList<>();
        ExecutorService four = Executors.newFixedThreadPool(4);
        for (int i = 0; i < 100; i++) {
            Lock lock = registry.obtain(foo + i);
            all.add(four.submit(() -> {
                lock.lock();
                lock.unlock();
            }));
        }
        for (Future<?> each : all) {
            each.get(60, TimeUnit.SECONDS);
        }
        four.shutdown();
        registry.obtain(foo);
        assertThat(registry.size()).isEqualTo(17);
    }

    @Test
    @DisplayName("A lock that is held stays the same beyond the capacity, and excludes")
    void heldBeyondCapacity() throws Exception {
        registry.setCacheCapacity(2);
        Lock held = registry.obtain(foo);
        held.lock();
        for (int i = 0; i < 5; i++) {
            registry.obtain(foo + i);
        }
        assertThat(registry.obtain(foo)).isSameAs(held);
        assertThat(elsewhere(() -> isTried(registry.obtain(foo), 200))).isFalse();
        held.unlock();
        assertThat(elsewhere(() -> isTried(registry.obtain(foo), 5_000))).isTrue();
    }

    @Test
    @DisplayName("executeLocked does the work under the lock, and throws if it cannot have it in time")
    void executeLocked() throws Exception {
        assertThat(registry.<String, RuntimeException>executeLocked(foo, () -> "done"))
                .isEqualTo("done");
        Lock lock = registry.obtain(foo);
        lock.lock();
        elsewhere(() -> assertThatThrownBy(() -> registry.executeLocked(foo, SHORT, () -> "done"))
                .isInstanceOf(TimeoutException.class));
        lock.unlock();
    }

    @Test
    @DisplayName("A lock has no conditions")
    void conditions() {
        Lock lock = registry.obtain(foo);
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }
}
