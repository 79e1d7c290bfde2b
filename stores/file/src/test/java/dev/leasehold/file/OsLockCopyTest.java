package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What copies of the folder and processes that were killed leave beside an operating-system lock. */
class OsLockCopyTest {
    private static final long HOLDER = 100;
    private static final long OTHER = 200;

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @TempDir(factory = MemoryDisk.class)
    Path procDirectory;

    private FakeProc proc;
    private Path file;

    @BeforeEach
    void startProcesses() throws IOException {
        proc = new FakeProc(procDirectory).start(HOLDER, 5_000).start(OTHER, 6_000);
        file = directory.resolve("os.lock");
    }

    private OsLockStore of(long pid, Path path, boolean allowsNetwork) throws IOException {
        return new OsLockStore(path, KEY, Machine.here().with(proc.seenBy(pid)), allowsNetwork);
    }

    @Test
    @DisplayName("A copy that was made while the lease was held is another lease, and free")
    void copyIsFree() throws IOException {
        LeaseRef lease = take(of(HOLDER, file, false));
        Path copy = Files.copy(file, directory.resolve("copy.lock"));
        assertThat(acquire(of(OTHER, copy, false))).isInstanceOf(Granted.class);
        assertThat(of(HOLDER, file, false).renew(List.of(lease))).hasSize(1);
        assertThat(acquire(of(OTHER, file, false))).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("Where other hosts may use the file, a number says nothing, and the copy is held")
    void copyIsHeldWhereNumbersSayNothing() throws IOException {
        take(of(HOLDER, file, true));
        Path copy = Files.copy(file, directory.resolve("copy.lock"));
        assertThat(acquire(of(OTHER, copy, true))).isInstanceOf(Held.class);
        assertThat(acquire(of(OTHER, copy, false))).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("Drafts of processes that were killed are swept, and those of live ones are left")
    void draftsOfTheDeadAreSwept() throws IOException {
        String tag = Machine.newTag();
        Path dead = Files.createFile(directory.resolve("os.lock.new-300-" + tag));
        Path live = Files.createFile(directory.resolve("os.lock.new-" + OTHER + "-" + tag));
        Path old = Files.createFile(directory.resolve("os.lock.new-" + tag));
        Path foreign = Files.createFile(directory.resolve("os.lock.new-notes"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(90)));
        take(of(HOLDER, file, false));
        assertThat(dead).doesNotExist();
        assertThat(old).doesNotExist();
        assertThat(live).exists();
        assertThat(foreign).exists();
    }
}
