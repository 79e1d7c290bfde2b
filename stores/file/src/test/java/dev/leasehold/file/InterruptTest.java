package dev.leasehold.file;

import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.tck.process.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that are interrupted while they read and write. */
class InterruptTest {
    private static final int ROUNDS = 50;

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    @DisplayName("X03 An interrupt neither disturbs a change nor gets lost")
    void interruptDoesNotDisturb(StoreKind kind) {
        LeaseStore store = kind.open(directory);
        Thread.currentThread().interrupt();
        LeaseRef lease = take(store);
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(acquire(kind.open(directory))).isInstanceOf(Held.class);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    @DisplayName("X03 Interrupts at any moment disturb nothing")
    void manyInterruptsDoNotDisturb(StoreKind kind) throws InterruptedException {
        LeaseStore store = kind.open(directory);
        AtomicBoolean isOver = new AtomicBoolean();
        Thread worker = Thread.currentThread();
        Thread nuisance = new Thread(() -> {
            while (!isOver.get()) {
                worker.interrupt();
                LockSupport.parkNanos(100_000);
            }
        });
        nuisance.start();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                LeaseRef lease = take(store);
                assertThat(store.renew(List.of(lease))).hasSize(1);
                assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
            }
        } finally {
            isOver.set(true);
            Thread.interrupted();
            nuisance.join();
        }
    }

    @Test
    @DisplayName("X03 The system's lock survives an interrupt of the thread that works with it")
    void systemLockSurvivesAnInterrupt() {
        LeaseStore store = StoreKind.OS_LOCK.open(directory);
        Thread.currentThread().interrupt();
        LeaseRef lease = take(store);
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(Thread.interrupted()).isTrue();
        try (ChildJvm other = ChildJvm.start(RawLockProcess.class, directory.resolve(".lock"))) {
            assertThat(other.line()).isEqualTo("refused");
        }
    }
}
