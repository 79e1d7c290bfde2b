package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.FileLeaseStore.Options;
import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The system says what went wrong in the user's language. */
class TranslatedErrorsTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private static Machine failing(DiskStep failing, String why) {
        return Machine.here().with(new Disk((step, path) -> {
            if (step == failing) {
                throw new IOException(why);
            }
        }));
    }

    private long files() throws IOException {
        try (var files = Files.list(directory)) {
            return files.count();
        }
    }

    @ParameterizedTest(name = "{0}: the fallback has the lock")
    @ValueSource(strings = {"Keine Sperren verfügbar", "利用できるロックがありません", "사용 가능한 잠금 장치가 없음"})
    @Tag("part-of:LOCK-4")
    @DisplayName("A file system without locks is recognised in any language")
    void fallbackIsFoundInAnyLanguage(String why) throws IOException {
        LeaseStore store = ProjectLocks.store(directory, failing(DiskStep.LOCK, why));
        take(store, Scope.AUTOSAVE.key());
        assertThat(store.name()).isEqualTo("lock-file");
        assertThat(files()).isEqualTo(2);
        LeaseStore english = ProjectLocks.store(directory, failing(DiskStep.LOCK, "No locks available"));
        assertThat(english.acquire(Requests.request(Scope.AUTOSAVE.key()))).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("Where another file of the folder can be locked, the failure is one that may pass")
    void failureOfOneFileIsNoLackOfTheFileSystem() throws IOException {
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LOCK && path.endsWith("os.lock")) {
                throw new IOException("Eingabe-/Ausgabefehler");
            }
        });
        OsLockStore store = new OsLockStore(
                directory.resolve("os.lock"), KEY, Machine.here().with(disk), false);
        assertThatThrownBy(() -> acquire(store)).isInstanceOf(StoreUnavailableException.class);
        assertThat(files()).isEqualTo(1);
    }

    @Test
    @DisplayName("Where no other file can be written either, the failure is one that may pass")
    void brokenDiskIsNoLackOfTheFileSystem() {
        Disk disk = new Disk((step, path) -> {
            boolean isScratch = step == DiskStep.CREATE && Files.exists(directory.resolve("os.lock"));
            if (step == DiskStep.LOCK || isScratch) {
                throw new IOException("Eingabe-/Ausgabefehler");
            }
        });
        OsLockStore store = new OsLockStore(
                directory.resolve("os.lock"), KEY, Machine.here().with(disk), false);
        assertThatThrownBy(() -> acquire(store)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    @DisplayName("A file system without hard links is recognised in any language")
    void missingLinksAreFoundInAnyLanguage() {
        Machine machine = failing(DiskStep.LINK, "Die Operation ist nicht erlaubt");
        assertThatThrownBy(() -> new FileLeaseStore(directory.resolve("store"), Options.DEFAULT, machine, null))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("hard links");
        assertThatThrownBy(() -> acquire(new LockFileStore(directory.resolve(".lock"), KEY, machine, false)))
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("hard links");
    }

    @Test
    @DisplayName("What cannot succeed is told from what may pass by looking at the place")
    void lastingFailureIsFoundInAnyLanguage() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Path below = file.resolve("below");
        String why = "Ist kein Verzeichnis";
        assertThat(IoFailure.of("write", new FileSystemException(below.toString(), null, why)))
                .isExactlyInstanceOf(StoreException.class);
        assertThat(IoFailure.of("write", new FileNotFoundException(below + " (" + why + ")")))
                .isExactlyInstanceOf(StoreException.class);
        Path tooLong = directory.resolve("x".repeat(256));
        assertThat(IoFailure.of("write", new FileSystemException(tooLong.toString(), null, "Dateiname zu lang")))
                .isExactlyInstanceOf(StoreException.class);
        assertThat(IoFailure.of("write", new FileSystemException(file.toString(), null, "Eingabe-/Ausgabefehler")))
                .isInstanceOf(StoreUnavailableException.class);
    }
}
