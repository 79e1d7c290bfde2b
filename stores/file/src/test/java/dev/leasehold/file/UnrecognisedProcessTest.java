package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.FileLeaseStore.Options;
import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that may not read the boot id, as under systemd's ProcSubset=pid, among others that may. */
class UnrecognisedProcessTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @TempDir(factory = MemoryDisk.class)
    Path procDirectory;

    private Machine others;
    private Machine mute;

    @BeforeEach
    void startProcesses() throws IOException {
        FakeProc proc = new FakeProc(procDirectory).start(100, 5_000);
        others = Machine.here().with(proc.seenBy(100));
        mute = Machine.here().with(new HostProcesses(procDirectory.resolve("none")));
    }

    private static Machine withoutLocks(Machine machine) {
        return machine.with(new Disk((step, path) -> {
            if (step == DiskStep.LOCK) {
                throw new FileSystemException(path.toString(), null, "No locks available");
            }
        }));
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("boot_id")
                .hasMessageContaining("ProcSubset=all");
    }

    @Test
    @Tag("part-of:LOCK-4")
    @DisplayName("Where the file system has locks, it gets no project lock, in particular none by the fallback")
    void fallbackIsNotUsedWhereLocksWork() {
        LeaseStore store = ProjectLocks.store(directory, mute);
        assertRefused(() -> take(store, Scope.AUTOSAVE.key()));
        assertThat(directory.resolve(".lock")).doesNotExist();
        take(ProjectLocks.store(directory, others), Scope.AUTOSAVE.key());
        assertThat(store.acquire(Requests.request(Scope.AUTOSAVE.key()))).isInstanceOf(Held.class);
        assertThat(directory.resolve(".lock")).doesNotExist();
    }

    @Test
    @DisplayName("Where the file system has no locks, it gets none either: it counts time by another clock")
    void lockFileIsRefused() {
        LeaseStore store = ProjectLocks.store(directory, withoutLocks(mute));
        assertRefused(() -> take(store, Scope.AUTOSAVE.key()));
        assertThat(directory.resolve(".lock")).doesNotExist();
        take(ProjectLocks.store(directory, withoutLocks(others)), Scope.AUTOSAVE.key());
        assertRefused(() -> take(store, Scope.AUTOSAVE.key()));
    }

    @Test
    @DisplayName("Where several hosts use the files, all count by the wall clock, so it may")
    void filesOfSeveralHostsAreGranted() {
        Options options = Options.DEFAULT.allowingNetworkFileSystem();
        assertThat(acquire(new FileLeaseStore(directory.resolve("store"), options, mute, null)))
                .isInstanceOf(Granted.class);
        assertThat(acquire(new LockFileStore(directory.resolve(".lock"), KEY, mute, true)))
                .isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("A store in a directory is refused, and nothing is written about time")
    void directoryIsRefused() throws IOException {
        assertRefused(() -> new FileLeaseStore(directory, Options.DEFAULT, mute, null));
        take(new FileLeaseStore(directory, Options.DEFAULT, others, null));
        assertRefused(() -> new FileLeaseStore(directory, Options.DEFAULT, mute, null));
        try (var files = Files.list(directory.resolve("temp"))) {
            assertThat(files).isEmpty();
        }
    }
}
