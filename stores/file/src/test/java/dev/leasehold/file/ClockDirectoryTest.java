package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.TTL;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.FileLeaseStore.Options;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The host's own clock. */
class ClockDirectoryTest {
    private static final long HOUR = 3_600_000_000L;

    @TempDir
    Path directory;

    @TempDir
    Path procDirectory;

    private FakeProc proc;
    private long wall = 1_700_000_000_000_000L;
    private long monotonic = 90_000_000;

    @BeforeEach
    void startProcess() throws IOException {
        proc = new FakeProc(procDirectory).start(100, 5_000);
    }

    private FileLeaseStore open() throws IOException {
        Machine machine = Machine.here().with(proc.seenBy(100)).withClocks(() -> wall, () -> monotonic);
        return new FileLeaseStore(directory, Options.DEFAULT, machine, null);
    }

    private FileLeaseStore openShared() throws IOException {
        Machine machine =
                Machine.here().with(proc.seenBy(100)).on(FileSystemKind.SHARED).withClocks(() -> wall, () -> monotonic);
        return new FileLeaseStore(directory, Options.DEFAULT.allowingNetworkFileSystem(), machine, null);
    }

    private void pass(Duration time) {
        wall += time.toNanos() / 1_000;
        monotonic += time.toNanos() / 1_000;
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR, -HOUR})
    @DisplayName("X11 The wall clock set by an hour, back or forth, changes nothing")
    void settingTheWallClockDoesNothing(long step) throws IOException {
        FileLeaseStore before = open();
        LeaseRef lease = take(before);
        pass(TTL.minusSeconds(1));
        wall += step;
        for (FileLeaseStore store : List.of(before, open())) {
            assertThat(acquire(store))
                    .isInstanceOfSatisfying(
                            Held.class, held -> assertThat(held.remaining()).isEqualTo(Duration.ofSeconds(1)));
        }
        pass(Duration.ofSeconds(1));
        LeaseRef next = take(open());
        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(acquire(before)).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("X11 Real processes of one host have one clock")
    void processesShareTheClock() throws Exception {
        FileLeaseStore here = FileLeaseStore.of(directory);
        try (ChildJvm holder = ChildJvm.start(HolderProcess.class, StoreKind.DIRECTORY, directory)) {
            assertThat(holder.line()).isEqualTo("Granted");
            assertThat(acquire(here))
                    .isInstanceOfSatisfying(
                            Held.class,
                            held -> assertThat(held.heldFor()).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
        }
    }

    @Test
    @DisplayName("X10 Where other hosts reach the directory, a wall clock that is set right counts at once")
    void correctedWallClockCountsOnANetworkFileSystem() throws IOException {
        wall -= HOUR;
        openShared();
        wall += HOUR;
        take(openShared());
        proc.boot("22222222-2222-4222-8222-222222222222");
        assertThat(acquire(openShared()))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(TTL));
    }

    @Test
    @DisplayName("F05 Where the wall clock counts, fences grow after a purge although it was set back")
    void fencesGrowAfterAPurgeAndAWallClockSetBack() throws IOException {
        FileLeaseStore store = openShared();
        LeaseRef lease = take(store);
        store.release(ReleaseRequest.of(lease));
        wall++;
        assertThat(store.purge(Duration.ZERO, 10)).isEqualTo(1);
        wall -= HOUR;
        LeaseRef next = take(openShared());
        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(acquire(openShared()))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(TTL));
    }

    @Test
    @DisplayName("X11 Processes of two time namespaces of one host have one clock")
    void timeNamespacesShareTheClock() throws IOException {
        take(open());
        pass(TTL.minusSeconds(1));
        wall += HOUR;
        proc.inTimeNamespace(100, 4026532999L, "-80 500000000");
        monotonic -= 79_500_000;
        assertThat(acquire(open()))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(Duration.ofSeconds(1)));
    }

    @Test
    @DisplayName("X11 A process that does not know by how much its time namespace is off is refused")
    void unknownTimeNamespaceIsRefused() throws IOException {
        proc.inTimeNamespace(100, 4026532999L, null);
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("time namespace");
    }

    @Test
    @DisplayName("X11 A process that only its children leave the time namespace of is refused: their offset is shown")
    void timeNamespaceOfItsChildrenIsRefused() throws IOException {
        proc.inTimeNamespace(100, 4026532999L, "-80 0").childrenInTimeNamespace(100, 4026533000L);
        assertThatThrownBy(this::open)
                .isInstanceOf(StoreUnsupportedException.class)
                .hasMessageContaining("time namespace");
    }

    @Test
    @DisplayName("X11 A process that cannot tell the kind of the file system has the clock of the others")
    void unknownFileSystemHasTheHostsClock() throws IOException {
        take(open());
        wall += HOUR;
        Machine machine = Machine.here()
                .with(proc.seenBy(100))
                .on(FileSystemKind.UNKNOWN)
                .withClocks(() -> wall, () -> monotonic);
        assertThat(acquire(new FileLeaseStore(directory, Options.DEFAULT, machine, null)))
                .isInstanceOf(Held.class);
    }

    @Test
    void clockStartsAtTheWallClocksTime() throws IOException {
        assertThat(take(open()).fence().value()).isEqualTo(wall);
    }

    @Test
    void newBootTakesTheWallClocksTimeAnew() throws IOException {
        take(open());
        reboot(Duration.ofDays(3));
        assertThat(acquire(open()))
                .isInstanceOfSatisfying(
                        Granted.class,
                        granted -> assertThat(granted.fence().value()).isEqualTo(wall));
        try (Stream<Path> files = Files.list(directory.resolve("clock"))) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void fencesGrowAfterAPurgeAndABootWithAWrongWallClock() throws IOException {
        FileLeaseStore store = open();
        pass(Duration.ofDays(2));
        LeaseRef lease = take(store);
        store.release(ReleaseRequest.of(lease));
        pass(Duration.ofSeconds(1));
        assertThat(store.purge(Duration.ZERO, 10)).isEqualTo(1);
        reboot(Duration.ofDays(-9_000));
        assertThat(open().find(KEY)).isEmpty();
        assertThat(take(open()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    void jvmWithAClockOfItsOwnIsRefused() throws IOException {
        open();
        monotonic = 5;
        assertThatThrownBy(this::open)
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("same kind of JVM");
    }

    @Test
    @DisplayName("X06 A damaged clock file is an error")
    void damagedClockIsAnError() throws IOException {
        open();
        try (Stream<Path> files = Files.list(directory.resolve("clock"))) {
            Files.writeString(files.findFirst().orElseThrow(), "");
        }
        assertThatThrownBy(this::open).isExactlyInstanceOf(StoreException.class).hasMessageContaining("empty");
    }

    private void reboot(Duration wallPassed) throws IOException {
        proc.boot("33333333-3333-4333-8333-333333333333");
        wall += wallPassed.toSeconds() * 1_000_000;
        monotonic = 10_000_000;
    }
}
