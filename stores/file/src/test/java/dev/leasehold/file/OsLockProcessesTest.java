package dev.leasehold.file;

import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operating-system lock between real processes. */
class OsLockProcessesTest {
    @TempDir
    Path directory;

    @Test
    @DisplayName("X02 Another reader of the file in the holder's process costs the system's lock, but not the lease")
    void readerInTheSameProcessDoesNotEndTheLease() throws Exception {
        Path file = directory.resolve(".lock");
        LeaseStore store = StoreKind.OS_LOCK.open(directory);
        LeaseRef lease = take(store);
        Files.readAllBytes(file);
        try (ChildJvm raw = ChildJvm.start(RawLockProcess.class, file)) {
            assertThat(raw.line()).isEqualTo("locked");
            // Only now: the rival tries the system's lock as well, and could have it at the moment when raw asks.
            try (ChildJvm rival = ChildJvm.start(HolderProcess.class, StoreKind.OS_LOCK, directory)) {
                assertThat(rival.line()).isEqualTo("Held");
            }
        }
        assertThat(store.renew(List.of(lease))).hasSize(1);
    }

    @Test
    @Tag("part-of:LOCK-4")
    @DisplayName("The system gives the lease back when its process is killed, and not while it is stopped")
    void leaseEndsWithItsProcess() throws Exception {
        LeaseStore store = StoreKind.OS_LOCK.open(directory);
        try (ChildJvm holder = ChildJvm.start(HolderProcess.class, StoreKind.OS_LOCK, directory)) {
            assertThat(holder.line()).isEqualTo("Granted");
            assertThat(acquire(store)).isInstanceOf(Held.class);
            holder.stop();
            assertThat(acquire(store)).isInstanceOf(Held.class);
            holder.kill();
            assertThat(acquire(store)).isInstanceOf(Granted.class);
            assertThat(acquire(store)).isInstanceOf(Held.class);
        }
    }
}
