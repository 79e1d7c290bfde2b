package dev.leasehold.spring.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Leases;
import dev.leasehold.spring.bridge.RealStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The rules that ShedLock's tests have for every extensible provider, and what an application sees of them. */
@ParameterizedClass(name = "{0}")
@EnumSource(RealStore.class)
@Tag("slow")
@DisplayName("ShedLock's rules for a lock provider")
@Timeout(120)
class LockProviderRulesTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(50);

    @Parameter
    private RealStore kind;

    private final String name = "name " + UUID.randomUUID();

    private LeaseStore store;
    private Leases leases;
    private LeaseLockProvider provider;

    @BeforeEach
    void open() {
        store = kind.open();
        leases = Leases.on(store);
        provider = new LeaseLockProvider(leases);
    }

    @AfterEach
    void close() {
        provider.close();
        leases.close();
        store.close();
    }

    private static LockConfiguration config(String name, Duration atMost, Duration atLeast) {
        return new LockConfiguration(ClockProvider.now(), name, atMost, atLeast);
    }

    private LockConfiguration config() {
        return config(name, LONG, Duration.ZERO);
    }

    private SimpleLock lock(Duration atMost) {
        return provider.lock(config(name, atMost, Duration.ZERO)).orElseThrow();
    }

    /** By the store, as an operator would see it: held, or closed for {@code lockAtLeastFor}. */
    private boolean isLocked() {
        return store.find(Key.of(name)).filter(LockProviderRulesTest::isClosed).isPresent();
    }

    private static boolean isClosed(LeaseSnapshot found) {
        return found.isHeld() || found.record().isCooling(found.nowMicros());
    }

    private static void sleep(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    private static void assertInvalid(ThrowingCallable operation) {
        assertThatThrownBy(operation).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("A lock is locked, and unlocked after unlock()")
    void locks() {
        SimpleLock lock = lock(LONG);
        assertThat(isLocked()).isTrue();
        lock.unlock();
        assertThat(isLocked()).isFalse();
    }

    @Test
    @DisplayName("A second lock of the same name is not given")
    void noSecondLock() {
        SimpleLock lock = lock(LONG);
        assertThat(provider.lock(config())).isEmpty();
        lock.unlock();
    }

    @Test
    @DisplayName("Two names are independent")
    void twoNames() {
        SimpleLock one = lock(LONG);
        SimpleLock two = provider.lock(config(name + " 2", LONG, Duration.ZERO)).orElseThrow();
        one.unlock();
        two.unlock();
    }

    @Test
    @DisplayName("A lock can be had again right after it was unlocked, with the same configuration")
    void rightAfterUnlock() {
        LockConfiguration configuration = config();
        for (int i = 0; i < 10; i++) {
            SimpleLock lock = provider.lock(configuration).orElseThrow();
            assertThat(provider.lock(configuration)).isEmpty();
            lock.unlock();
        }
    }

    @Test
    @DisplayName("A lock is free after lockAtMostFor, although nobody unlocked it")
    void timesOut() throws Exception {
        SimpleLock forgotten = lock(SHORT);
        sleep(SHORT.multipliedBy(4));
        assertThat(isLocked()).isFalse();
        SimpleLock next = lock(LONG);
        forgotten.unlock();
        assertThat(isLocked()).isTrue();
        next.unlock();
    }

    @Test
    @DisplayName("A lock of more than the store's TTL is free after lockAtMostFor, and not before")
    void timesOutLater() throws Exception {
        Duration atMost = Duration.ofSeconds(3);
        lock(atMost);
        sleep(Duration.ofSeconds(2));
        assertThat(provider.lock(config())).isEmpty();
        sleep(Duration.ofMillis(1_500));
        assertThat(provider.lock(config())).isPresent();
    }

    @Test
    @DisplayName("lockAtLeastFor outlives the unlock")
    void atLeast() throws Exception {
        Duration atLeast = Duration.ofSeconds(2);
        provider.lock(config(name, atLeast.multipliedBy(2), atLeast))
                .orElseThrow()
                .unlock();
        assertThat(provider.lock(config())).isEmpty();
        sleep(atLeast.plusMillis(100));
        assertThat(provider.lock(config())).isPresent();
    }

    @Test
    @DisplayName("Eight threads count without losing a step")
    void fuzz() throws Exception {
        int[] counters = new int[2];
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> tasks = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int which = i % 2;
                int rounds = i == 0 ? 10 : 50;
                tasks.add(threads.submit(() -> count(counters, which, rounds)));
            }
            for (Future<?> task : tasks) {
                task.get(100, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(counters).containsExactly(160, 200);
    }

    private Void count(int[] counters, int which, int rounds) throws InterruptedException {
        LockConfiguration configuration = config(name + " " + which, LONG, Duration.ofMillis(5));
        for (int done = 0; done < rounds; ) {
            Optional<SimpleLock> lock = provider.lock(configuration);
            if (lock.isPresent()) {
                int before = counters[which];
                Thread.sleep(1);
                counters[which] = before + 1;
                lock.get().unlock();
                done++;
            }
        }
        return null;
    }

    @Test
    @DisplayName("An extended lock outlives its first time")
    void extend() throws Exception {
        Duration first = Duration.ofSeconds(2);
        SimpleLock lock = lock(first);
        SimpleLock longer = lock.extend(Duration.ofSeconds(10), Duration.ZERO).orElseThrow();
        sleep(first.plusMillis(200));
        assertThat(isLocked()).isTrue();
        longer.unlock();
        assertThat(isLocked()).isFalse();
    }

    @Test
    @DisplayName("An extended lock is free after its new time, also if that is shorter")
    void extendToLess() throws Exception {
        SimpleLock lock = lock(LONG);
        assertThat(lock.extend(SHORT, Duration.ZERO)).isPresent();
        sleep(SHORT.multipliedBy(4));
        assertThat(isLocked()).isFalse();
    }

    @Test
    @DisplayName("An unlocked lock cannot be extended: it throws")
    void extendUnlocked() {
        SimpleLock lock = lock(LONG);
        lock.unlock();
        assertInvalid(() -> lock.extend(Duration.ofSeconds(10), Duration.ZERO));
        assertThat(isLocked()).isFalse();
    }

    @Test
    @DisplayName("An expired lock cannot be extended: the answer is empty, and it is unlocked")
    void extendExpired() throws Exception {
        SimpleLock lock = lock(Duration.ofMillis(1));
        sleep(Duration.ofMillis(2));
        assertThat(lock.extend(Duration.ofSeconds(10), Duration.ZERO)).isEmpty();
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (isLocked()) { // The release is on its way.
            assertThat(System.nanoTime()).isLessThan(end);
            sleep(Duration.ofMillis(5));
        }
    }

    @Test
    @DisplayName("A lock that was taken away cannot be extended: the answer is empty")
    void extendTaken() {
        SimpleLock lock = lock(LONG);
        LeaseRef held = store.find(Key.of(name)).orElseThrow().record().ref();
        store.release(ReleaseRequest.of(held));
        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();
    }

    @Test
    @DisplayName("lockAtLeastFor of an extension outlives the unlock")
    void extendAtLeast() {
        SimpleLock lock = lock(Duration.ofSeconds(10));
        lock.extend(Duration.ofSeconds(10), Duration.ofSeconds(9)).orElseThrow().unlock();
        assertThat(isLocked()).isTrue();
        assertThat(provider.lock(config())).isEmpty();
    }

    @Test
    @DisplayName("A lock cannot be extended twice, nor unlocked after it was extended: it throws")
    void extendTwice() {
        SimpleLock lock = lock(LONG);
        SimpleLock longer = lock.extend(LONG, Duration.ZERO).orElseThrow();
        assertInvalid(() -> lock.extend(LONG, Duration.ZERO));
        assertInvalid(lock::unlock);
        assertThat(isLocked()).isTrue();
        longer.unlock();
        assertThat(isLocked()).isFalse();
    }

    @Test
    @DisplayName("A lock that is unlocked twice throws")
    void unlockTwice() {
        SimpleLock lock = lock(LONG);
        lock.unlock();
        assertInvalid(lock::unlock);
    }

    @Test
    @DisplayName("Executor, extender and keep-alive of ShedLock work as they are")
    void application() throws Throwable {
        DefaultLockingTaskExecutor executor = new DefaultLockingTaskExecutor(provider);
        List<String> done = new ArrayList<>();
        executor.executeWithLock(
                (Runnable) () -> {
                    LockExtender.extendActiveLock(LONG, Duration.ZERO);
                    done.add("extended");
                    assertThat(provider.lock(config())).isEmpty();
                },
                config());
        assertThat(isLocked()).isFalse();
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            SimpleLock kept =
                    new KeepAliveLockProvider(provider, timer).lock(config()).orElseThrow();
            kept.unlock();
        } finally {
            timer.shutdownNow();
        }
        assertThat(done).containsExactly("extended");
    }

    @Test
    @DisplayName("A running task keeps its lock when the client is closed")
    void closing() {
        lock(LONG);
        leases.close();
        assertThat(isLocked()).isTrue();
    }

    @Test
    @DisplayName("A provider that is closed gives no lock, and leaves none behind")
    void closed() {
        provider.close();
        assertInvalid(() -> provider.lock(config()));
        assertThat(isLocked()).isFalse();
    }
}
