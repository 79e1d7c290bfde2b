package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Places where no store can be, and names that need care. */
class BadInputTest {
    private static final String LONG_NAME = "x".repeat(10_240);

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    static Stream<Named<Function<Path, LeaseStore>>> lockFiles() {
        return Stream.of(
                Named.of("LockFileStore", file -> LockFileStore.at(file, KEY)),
                Named.of("OsLockStore", file -> OsLockStore.at(file, KEY)));
    }

    @ParameterizedTest
    @MethodSource("lockFiles")
    @DisplayName("X09 A lock file may have any name that the file system takes")
    void lockFileMayHaveAnyName(Function<Path, LeaseStore> open) {
        for (String name : new String[] {
            " ",
            "a b",
            "-rf",
            "*?[a]",
            "(.*)+\\d$",
            ".lock.new-1-2",
            "\u98DF\u4E8B",
            "e\u0301",
            "\uD83D\uDE80",
            "'\"`",
            "x".repeat(200)
        }) {
            Path file = directory.resolve(name);
            LeaseRef lease = take(open.apply(file));
            assertThat(acquire(open.apply(file))).isInstanceOf(Held.class);
            assertThat(open.apply(file).release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        }
    }

    @ParameterizedTest
    @MethodSource("lockFiles")
    void nameThatIsTooLongForTheFileSystemIsRefused(Function<Path, LeaseStore> open) {
        assertThatThrownBy(() -> acquire(open.apply(directory.resolve(LONG_NAME))))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("too long");
    }

    @Test
    @DisplayName("X09 A key of 10 kB is refused before any file is made")
    void keyThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> Key.of(LONG_NAME)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("lockFiles")
    void lockFileNeedsADirectoryThatExists(Function<Path, LeaseStore> open) throws IOException {
        Path plain = Files.createFile(directory.resolve("plain"));
        for (Path path :
                new Path[] {directory, directory.resolve("none/.lock"), plain.resolve(".lock"), Path.of("/")}) {
            assertThatThrownBy(() -> open.apply(path))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(path.toString());
        }
        assertThat(StoreFiles.below(directory)).containsExactly(plain);
    }

    @ParameterizedTest
    @MethodSource("lockFiles")
    void symbolicLinkThatLeadsNowhereIsRefused(Function<Path, LeaseStore> open) throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("none"));
        assertThatThrownBy(() -> open.apply(link))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("leads nowhere");
    }

    @ParameterizedTest
    @MethodSource("lockFiles")
    void lockFileOfAnotherKeyIsLeftAlone(Function<Path, LeaseStore> open) {
        LeaseStore store = open.apply(directory.resolve(".lock"));
        assertThatThrownBy(() -> take(store, Key.of("other")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("other");
        assertThat(store.find(Key.of("other"))).isEmpty();
        assertThat(store.renew(List.of(new LeaseRef(
                        Key.of("other"), Requests.nonce(), take(store).fence()))))
                .isEmpty();
    }

    @Test
    void storeMakesTheDirectoriesThatAreMissing() {
        take(FileLeaseStore.of(directory.resolve("a/b/c")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "plain/store"})
    void fileInTheWayOfAStoreIsAnError(String path) throws IOException {
        Files.createFile(directory.resolve("plain"));
        assertThatThrownBy(() -> FileLeaseStore.of(directory.resolve(path)))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("plain");
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void placeWithoutPermissionIsAnErrorThatNamesIt(StoreKind kind) {
        for (IOException refusal : new IOException[] {
            new AccessDeniedException("/there"),
            new FileNotFoundException("/there (Permission denied)"),
            new FileSystemException("/there", null, "Read-only file system")
        }) {
            Machine machine = Machine.here().with(new Disk((step, path) -> {
                if (step == DiskStep.CREATE || step == DiskStep.MAKE_DIRECTORY) {
                    throw refusal;
                }
            }));
            Path place = directory.resolve(refusal.getClass().getSimpleName());
            assertThatThrownBy(() -> acquire(kind.open(place, machine, machine.wallMicros())))
                    .isExactlyInstanceOf(StoreException.class)
                    .hasMessageContaining("/there")
                    .hasRootCause(refusal);
        }
    }

    @Test
    void pathInsideAnArchiveIsUnsupported() throws IOException {
        Path archive = directory.resolve("archive.zip");
        try (FileSystem zip = FileSystems.newFileSystem(archive, Map.of("create", "true"))) {
            Path inside = zip.getPath("/inside");
            assertThatThrownBy(() -> FileLeaseStore.of(inside)).isInstanceOf(StoreUnsupportedException.class);
            assertThatThrownBy(() -> LockFileStore.at(inside, KEY)).isInstanceOf(StoreUnsupportedException.class);
            assertThatThrownBy(() -> OsLockStore.at(inside, KEY)).isInstanceOf(StoreUnsupportedException.class);
        }
    }
}
