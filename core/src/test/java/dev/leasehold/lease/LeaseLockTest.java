package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A lease as a lock of the JDK")
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // Locks are what is tested.
class LeaseLockTest {
    private static final Key KEY = Key.of("deploy");

    private final MemoryLeaseStore store = new MemoryLeaseStore();
    private final Leases leases = Leases.on(store);
    private final Leases otherProcess = Leases.on(store);
    private final LeaseLock lock = LeaseLock.on(leases, KEY);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        otherProcess.close();
        leases.close();
    }

    private <T> T elsewhere(Callable<T> work) throws Exception {
        return threads.submit(work).get(30, TimeUnit.SECONDS);
    }

    private boolean isHeld() {
        return store.find(KEY).orElseThrow().isHeld();
    }

    @Test
    @DisplayName("excludes other threads and other processes until it is unlocked")
    void excludes() throws Exception {
        lock.lock();
        assertThat(elsewhere(() -> lock.tryLock())).isFalse();
        assertThat(LeaseLock.on(otherProcess, KEY).tryLock()).isFalse();
        lock.unlock();
        LeaseLock other = LeaseLock.on(otherProcess, KEY);
        assertThat(other.tryLock()).isTrue();
        other.unlock();
    }

    @Test
    @DisplayName("may be locked again by its holder, and is free after as many unlocks")
    void reentrant() throws Exception {
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
        Fence fence = lock.lease().orElseThrow().fence();
        lock.unlock();
        lock.unlock();
        assertThat(isHeld()).isTrue();
        assertThat(lock.lease().orElseThrow().fence()).isEqualTo(fence);
        lock.unlock();
        assertThat(isHeld()).isFalse();
        assertThat(lock.lease()).isEmpty();
    }

    @Test
    @DisplayName("is not unlocked by a thread that does not hold it")
    void wrongThread() throws Exception {
        lock.lock();
        elsewhere(() -> assertThatThrownBy(lock::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("own"));
        assertThat(isHeld()).isTrue();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    @DisplayName("tells a caller that waits for a while no, also if others of its process wait before it")
    void waitsInVain() throws Exception {
        lock.lock();
        List<Future<Boolean>> waits = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waits.add(threads.submit(() -> lock.tryLock(300, TimeUnit.MILLISECONDS)));
        }
        for (Future<Boolean> wait : waits) {
            assertThat(wait.get(30, TimeUnit.SECONDS)).isFalse();
        }
        lock.unlock();
        assertThat(elsewhere(() -> lock.tryLock(10, TimeUnit.SECONDS))).isTrue();
    }

    @Test
    @DisplayName("is handed to a thread that waits for it")
    void waits() throws Exception {
        lock.lock();
        CountDownLatch begun = new CountDownLatch(1);
        Future<Boolean> waiter = threads.submit(() -> {
            begun.countDown();
            lock.lock();
            lock.unlock();
            return true;
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
        assertThat(waiter.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("keeps an interrupt for later in lock(), and is not held after one in lockInterruptibly()")
    void interrupts() {
        Thread.currentThread().interrupt();
        lock.lock();
        assertThat(Thread.interrupted()).isTrue();
        lock.unlock();

        Thread.currentThread().interrupt();
        assertThatThrownBy(lock::lockInterruptibly).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(lock.lease()).isEmpty();
    }

    @Test
    @DisplayName("tells its holder at the unlock that it was lost, and does not touch its successor's")
    void lost() throws Exception {
        LeaseLock brief = LeaseLock.on(leases, KEY, LeaseOptions.defaults().withTtl(Duration.ofSeconds(1)));
        brief.lock();
        Lease lease = brief.lease().orElseThrow();
        CountDownLatch isLost = new CountDownLatch(1);
        lease.onLost(why -> isLost.countDown());
        store.release(ReleaseRequest.of(lease.ref()));
        Lease successor = otherProcess.tryAcquire(KEY).orElseThrow();
        assertThat(isLost.await(30, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(brief::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(successor.isValid()).isTrue();
        assertThat(store.find(KEY).orElseThrow().record().fence()).isEqualTo(successor.fence());
        successor.release();
    }

    @Test
    @DisplayName("is not locked again by a holder that has lost it")
    void lostMeanwhile() {
        lock.lock();
        lock.lease().orElseThrow().abandon("for the test");
        assertThatThrownBy(() -> lock.tryLock()).isInstanceOf(LeaseLostException.class);
        lock.unlock();
        assertThat(lock.lease()).isEmpty();
    }

    @Test
    @DisplayName("has a longest life, if the options say so")
    void longestLife() throws Exception {
        Duration life = Duration.ofSeconds(1);
        LeaseLock limited =
                LeaseLock.on(leases, KEY, LeaseOptions.defaults().withTtl(life).withLongestLife(life));
        limited.lock();
        assertThat(elsewhere(() -> lock.tryLock(20, TimeUnit.SECONDS))).isTrue();
        assertThatThrownBy(limited::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("is left to its holder when the client is closed")
    void closing() {
        lock.lock();
        leases.close();
        assertThat(isHeld()).isTrue();
    }

    @Test
    @DisplayName("has no conditions")
    void conditions() {
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }
}
