package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.OWNER;
import static dev.leasehold.file.Requests.TTL;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.request;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Cooling;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.AcquireResult.Settled;
import dev.leasehold.store.AcquireResult.Spent;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockFileStoreTest {
    private static final long HOUR = 3_600_000_000L;

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @TempDir(factory = MemoryDisk.class)
    Path procDirectory;

    private final ManualClock clock = new ManualClock();
    private long wallShift;
    private FakeProc proc;
    private Path file;

    @BeforeEach
    void startProcess() throws IOException {
        proc = new FakeProc(procDirectory).start(100, 5_000);
        file = directory.resolve(".lock");
    }

    private LockFileStore open() throws IOException {
        return open(file);
    }

    private LockFileStore open(Path path) throws IOException {
        return new LockFileStore(path, KEY, machine(), false);
    }

    private LockFileStore open(boolean allowsNetwork) throws IOException {
        return new LockFileStore(file, KEY, machine(), allowsNetwork);
    }

    private Machine machine() throws IOException {
        return Machine.here().with(proc.seenBy(100)).withClocks(() -> clock.getAsLong() + wallShift, clock);
    }

    @Test
    @Tag("part-of:LOCK-5")
    @DisplayName("The file is there while the lease is held, says by whom, and is deleted by the release")
    void fileIsThereWhileTheLeaseIsHeld() throws IOException {
        LeaseRef lease = take(open());
        assertThat(Files.readString(file)).contains("owner=" + OWNER + "\n", "key=" + KEY + "\n");
        assertThat(open().release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @Tag("part-of:LOCK-5")
    @DisplayName("A live file is contention; one whose time is over is an orphan and is taken over")
    void expiredFileIsTakenOver() throws IOException {
        LeaseRef lease = take(open());
        clock.advance(TTL.minusNanos(1_000));
        assertThat(acquire(open()))
                .isEqualTo(new Held(OWNER, lease.fence(), Duration.ofNanos(1_000), TTL, TTL.minusNanos(1_000), false));
        clock.advance(Duration.ofNanos(1_000));
        assertThat(acquire(open())).isInstanceOfSatisfying(Granted.class, granted -> {
            assertThat(granted.fence()).isGreaterThan(lease.fence());
            assertThat(granted.predecessor()).isEqualTo(new Predecessor(OWNER, lease.fence()));
        });
        assertThat(open().renew(List.of(lease))).isEmpty();
        assertThat(open().release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    @DisplayName("X01 Who found the file stale, and was stopped while another took it over, is refused")
    void overtakenTakerIsRefused() throws IOException {
        take(open());
        clock.advance(TTL);
        // Or the winner would sweep what the other is writing, as a dead process's.
        proc.start(ProcessHandle.current().pid(), 7_000);
        AtomicReference<LeaseRef> winner = new AtomicReference<>();
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LINK && winner.get() == null) {
                winner.set(take(open()));
            }
        });
        LockFileStore late = new LockFileStore(file, KEY, machine().with(disk), false);
        assertThat(acquire(late))
                .isInstanceOfSatisfying(
                        Held.class,
                        held -> assertThat(held.fence()).isEqualTo(winner.get().fence()));
        assertThat(open().renew(List.of(winner.get()))).hasSize(1);
        assertThat(StoreFiles.below(directory)).containsExactly(file);
    }

    @Test
    @Tag("part-of:LOCK-5")
    @DisplayName("The process of the holder may be gone: only its time ends it")
    void deadHolderKeepsItsTime() throws IOException {
        take(open());
        proc.start(200, 6_000).end(100);
        LockFileStore other = new LockFileStore(
                file, KEY, Machine.here().with(proc.seenBy(200)).withClocks(clock, clock), false);
        assertThat(acquire(other)).isInstanceOf(Held.class);
        clock.advance(TTL);
        assertThat(acquire(other)).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("X04 Where somebody deleted the file, its holder learns it from the next renewal")
    void deletedFileIsALostLease() throws IOException {
        LeaseRef lease = take(open());
        Files.delete(file);
        assertThat(open().renew(List.of(lease))).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(take(open()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("X06 A file that is cut off anywhere, or has one wrong byte, is an error and never a free lease")
    void damagedFileIsAnError() throws IOException {
        LockFileStore store = open();
        take(store);
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertRefuses(store);
            byte[] wrong = whole.clone();
            wrong[length] ^= 1;
            Files.write(file, wrong);
            assertRefuses(store);
        }
        Files.write(file, whole);
        assertThat(acquire(store)).isInstanceOf(Held.class);
    }

    private void assertRefuses(LockFileStore store) {
        assertThatThrownBy(() -> acquire(store))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("delete the file");
    }

    @Test
    @DisplayName("X08 Two paths to one file are one lease")
    void symbolicLinksLeadToTheSameLease() throws IOException {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        LeaseRef lease = take(open(real.resolve(".lock")));
        Path alias = Files.createSymbolicLink(directory.resolve("alias"), real.resolve(".lock"));
        assertThat(acquire(open(link.resolve(".lock")))).isInstanceOf(Held.class);
        assertThat(acquire(open(link.resolve("../link/.lock")))).isInstanceOf(Held.class);
        assertThat(acquire(open(alias))).isInstanceOf(Held.class);
        assertThat(open(alias).release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(real).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(longs = {HOUR, -HOUR})
    @DisplayName("X11 The wall clock set by an hour, back or forth, changes nothing while there is a file")
    void settingTheWallClockDoesNothing(long step) throws IOException {
        LeaseRef lease = take(open());
        wallShift = step;
        clock.advance(TTL.minusSeconds(1));
        assertThat(acquire(open()))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(Duration.ofSeconds(1)));
        assertThat(open().renew(List.of(lease))).hasSize(1);
        wallShift = -step;
        assertThat(acquire(open()))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(TTL));
        clock.advance(TTL);
        assertThat(take(open()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("X10 Where other hosts reach the file, a wall clock that is set right counts at once")
    void correctedWallClockCountsOnANetworkFileSystem() throws IOException {
        wallShift = -HOUR;
        open(true).release(ReleaseRequest.of(take(open(true))).withCooldown(Duration.ofSeconds(1)));
        clock.advance(Duration.ofSeconds(1));
        wallShift = 0;
        take(open(true));
        proc.boot("22222222-2222-4222-8222-222222222222");
        assertThat(acquire(open(true)))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(TTL));
    }

    @Test
    @DisplayName("X11 Processes of two time namespaces of one host have one clock")
    void timeNamespacesShareTheClock() throws IOException {
        take(open());
        clock.advance(TTL.minusSeconds(1));
        proc.inTimeNamespace(100, 4026532999L, "-7 0");
        Machine inside = machine().withClocks(() -> clock.getAsLong() + HOUR, () -> clock.getAsLong() - 7_000_000);
        assertThat(acquire(new LockFileStore(file, KEY, inside, false)))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.remaining()).isEqualTo(Duration.ofSeconds(1)));
    }

    @Test
    @DisplayName("X12 After a reboot the wall clock decides, because there is no other")
    void wallClockDecidesAfterAReboot() throws IOException {
        take(open());
        proc.boot("22222222-2222-4222-8222-222222222222");
        wallShift = TTL.toSeconds() * 1_000_000 - 1;
        assertThat(acquire(open())).isInstanceOf(Held.class);
        wallShift++;
        assertThat(acquire(open())).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("A06 A late duplicate of an acquire gets nothing from the object that released it")
    void releasedNonceIsSpent() throws IOException {
        LockFileStore store = open();
        AcquireRequest request = request();
        store.release(ReleaseRequest.of(take(store, request)));
        assertThat(store.acquire(request)).isInstanceOf(Spent.class);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void cooldownIsKeptInTheFile() throws IOException {
        LeaseRef lease = take(open());
        open().release(ReleaseRequest.of(lease).withCooldown(Duration.ofSeconds(9)));
        assertThat(acquire(open())).isEqualTo(new Cooling(Duration.ofSeconds(9)));
        clock.advance(Duration.ofSeconds(9));
        open().release(ReleaseRequest.of(take(open())));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void answerIsKeptInTheFileUntilItIsPurged() throws IOException {
        Settlement done = Settlement.done(Payload.of("42"), Duration.ofMinutes(1));
        assertThat(open().settle(SettleRequest.of(take(open()), done))).isEqualTo(SettleResult.SETTLED);
        assertThat(acquire(open())).isInstanceOf(Settled.class);
        assertThat(open().purge(Duration.ZERO, 1)).isZero();
        clock.advance(Duration.ofMinutes(1));
        assertThat(open().purge(Duration.ZERO, 0)).isZero();
        assertThat(open().purge(Duration.ZERO, 1)).isEqualTo(1);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void fileOfAnotherKeyIsAnError() throws IOException {
        take(open());
        LockFileStore other = LockFileStore.at(file, Key.of("other"));
        assertThatThrownBy(() -> take(other, Key.of("other")))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining(KEY.value());
    }

    @Test
    void callerInLineIsToldThatThereIsNone() throws IOException {
        take(open());
        assertThat(open().acquire(request().inLineFor(Duration.ofSeconds(5))))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.inLine()).isFalse());
    }
}
