package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A path that holds the words of an error")
class ErrorWordsInPathsTest {
    private static final String FULL = "No space left on device";

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @Tag("part-of:LOCK-5")
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "plain",
                "Things that are not supported yet",
                "not permitted",
                "not implemented (draft)",
                "No locks available"
            })
    @DisplayName("does not turn a full disk into a file system without locks, so there is one holder")
    void fullDiskIsNoLack(String name) throws IOException {
        Path folder = Files.createDirectory(directory.resolve(name));
        AtomicBoolean isFull = new AtomicBoolean(true);
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LINK && isFull.get()) {
                throw new FileSystemException(path.toString(), null, FULL);
            }
        });
        LeaseStore one = ProjectLocks.store(folder, Machine.here().with(disk));
        LeaseStore two = ProjectLocks.store(folder, Machine.here());
        assertThatThrownBy(() -> one.acquire(Requests.request(Scope.AUTOSAVE.key())))
                .isInstanceOf(StoreUnavailableException.class);
        isFull.set(false);
        assertThat(one.acquire(Requests.request(Scope.AUTOSAVE.key()))).isInstanceOf(Granted.class);
        assertThat(one.name()).isEqualTo("os-lock");
        assertThat(two.acquire(Requests.request(Scope.AUTOSAVE.key()))).isInstanceOf(Held.class);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"plain", "Permission denied (novel)", "Is a directory", "Read-only file system (1)"})
    @DisplayName("does not turn a failure that may pass into a lasting one")
    void failureThatMayPass(String name) throws IOException {
        Path file = Files.createFile(directory.resolve(name));
        assertThat(IoFailure.of("write", new FileSystemException(file.toString(), null, FULL)))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(IoFailure.of("write", new FileSystemException(file.toString(), file + ".new", FULL)))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(IoFailure.of("write", new FileNotFoundException(file + " (Too many open files)")))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"plain", "No space left on device", "Too many open files (2)"})
    @DisplayName("does not turn a lasting failure into one that may pass")
    void lastingFailure(String name) throws IOException {
        Path below = Files.createFile(directory.resolve(name)).resolve("below");
        assertThat(IoFailure.of("write", new FileSystemException(below.toString(), null, "Ist kein Verzeichnis")))
                .isExactlyInstanceOf(StoreException.class);
        assertThat(IoFailure.of("write", new FileNotFoundException(below + " (Ist kein Verzeichnis)")))
                .isExactlyInstanceOf(StoreException.class);
    }

    @Test
    @DisplayName("is told in full")
    void messageHasThePath() {
        String message = "/a/Permission denied (novel) (Too many open files)";
        assertThat(IoFailure.of("write", new FileNotFoundException(message))).hasMessageContaining(message);
    }
}
