package dev.leasehold.file;

import static dev.leasehold.file.Requests.OWNER;
import static dev.leasehold.file.Requests.TTL;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.request;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.FileLeaseStore.Options;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Leases of processes that are gone. */
class DeadHolderTest {
    private static final long HOLDER = 100;
    private static final long OTHER = 200;
    private static final long THIRD = 300;

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @TempDir(factory = MemoryDisk.class)
    Path procDirectory;

    private final ManualClock clock = new ManualClock();
    private FakeProc proc;

    @BeforeEach
    void startProcesses() throws IOException {
        proc = new FakeProc(procDirectory)
                .start(HOLDER, 5_000)
                .start(OTHER, 6_000)
                .start(THIRD, 7_000);
    }

    private FileLeaseStore of(long pid) throws IOException {
        return of(pid, FileSystemKind.LOCAL, Options.DEFAULT);
    }

    private FileLeaseStore of(long pid, FileSystemKind kind, Options options) throws IOException {
        Machine machine = Machine.here().with(proc.seenBy(pid)).on(kind);
        return new FileLeaseStore(directory, options, machine, clock);
    }

    @Test
    @DisplayName("T08 The lease of a process that was killed can be taken at once, and by one only")
    void leaseOfAKilledProcessIsFree() throws Exception {
        FileLeaseStore store = FileLeaseStore.of(directory);
        try (ChildJvm holder = ChildJvm.start(HolderProcess.class, StoreKind.DIRECTORY, directory)) {
            assertThat(holder.line()).isEqualTo("Granted");
            assertThat(acquire(store)).isInstanceOf(Held.class);
            holder.stop();
            assertThat(acquire(store)).isInstanceOf(Held.class);
            holder.kill();
            assertThat(acquire(store)).isInstanceOf(Granted.class);
            assertThat(acquire(store)).isInstanceOf(Held.class);
        }
    }

    @Test
    @DisplayName("T08 Same host, same boot, process gone: early takeover, and the taker learns from whom")
    void leaseOfAnEndedProcessIsTaken() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        proc.end(HOLDER);
        assertThat(acquire(of(OTHER)))
                .isInstanceOfSatisfying(
                        Granted.class,
                        granted -> assertThat(granted.predecessor()).isEqualTo(new Predecessor(OWNER, lease.fence())));
    }

    @Test
    @DisplayName("T09 Another process with the same number started later: still early")
    void reusedProcessNumberIsNoHolder() throws IOException {
        take(of(HOLDER));
        proc.start(HOLDER, 5_001);
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("T09 A process that is alive keeps its lease for its TTL")
    void livingHolderIsNeverRobbed() throws IOException {
        take(of(HOLDER));
        clock.advance(TTL.minusMillis(1));
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
        clock.advance(Duration.ofMillis(1));
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    void zombieIsGoneUnlessItsThreadsGoOn() throws IOException {
        take(of(HOLDER));
        proc.stat(HOLDER, 5_000, "Z", 7);
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
        proc.stat(HOLDER, 5_000, "Z", 1);
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    void nothingIsKnownOfProcessesInAnotherNamespace() throws IOException {
        proc.start(HOLDER, 5_000, "pid:[4026539999]");
        take(of(HOLDER));
        proc.end(HOLDER);
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
    }

    @Test
    void nothingIsKnownOfProcessesWhereTheSystemHidesThem() throws IOException {
        take(of(HOLDER));
        proc.end(HOLDER).mounted("rw,hidepid=invisible,gid=5");
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
        proc.mounted("rw,hidepid=1");
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    void lockDelayIsKeptEvenIfTheHolderIsDead() throws IOException {
        take(of(HOLDER));
        proc.end(HOLDER);
        AcquireRequest careful = request().withLockDelay(Duration.ofSeconds(5));
        assertThat(of(OTHER).acquire(careful)).isInstanceOf(Held.class);
        clock.advance(TTL.plusSeconds(5));
        assertThat(of(OTHER).acquire(careful)).isInstanceOf(Granted.class);
    }

    @Test
    void leaseThatOutlivesProcessesIsKeptForItsTtl() throws IOException {
        take(of(HOLDER, FileSystemKind.LOCAL, Options.DEFAULT.outlivingProcesses()));
        proc.end(HOLDER);
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
    }

    @Test
    void leaseBelongsToTheProcessThatRenewedItLast() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        clock.advance(Duration.ofSeconds(1));
        assertThat(of(OTHER).renew(List.of(lease))).hasSize(1);
        proc.end(HOLDER);
        assertThat(acquire(of(THIRD))).isInstanceOf(Held.class);
        proc.end(OTHER);
        assertThat(acquire(of(THIRD))).isInstanceOf(Granted.class);
    }

    @Test
    void handedOverLeaseBelongsToTheProcessThatWaited() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        of(OTHER).acquire(request().inLineFor(Duration.ofMinutes(1)));
        of(HOLDER).release(ReleaseRequest.of(lease));
        proc.end(HOLDER);
        assertThat(acquire(of(THIRD))).isInstanceOf(Held.class);
        proc.end(OTHER);
        assertThat(acquire(of(THIRD))).isInstanceOf(Granted.class);
    }

    @Test
    void deadWaiterIsPassedOver() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        AcquireRequest living = request().inLineFor(Duration.ofMinutes(1));
        of(OTHER).acquire(request().inLineFor(Duration.ofMinutes(1)));
        of(THIRD).acquire(living);
        proc.end(OTHER);
        of(HOLDER).release(ReleaseRequest.of(lease));
        assertThat(of(THIRD).acquire(living)).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("X12 After a reboot the leases of before are free, on a local file system only")
    void rebootFreesLeasesOfLocalFileSystems() throws IOException {
        take(of(HOLDER));
        proc.boot("22222222-2222-4222-8222-222222222222");
        Options allowed = Options.DEFAULT.allowingNetworkFileSystem();
        assertThat(acquire(of(OTHER, FileSystemKind.SHARED, allowed))).isInstanceOf(Held.class);
        assertThat(acquire(of(OTHER, FileSystemKind.UNKNOWN, allowed))).isInstanceOf(Held.class);
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("X12 A host that shares its own directory with others takes no holder of another boot for dead")
    void exportingHostFreesNothingThatAnotherHostMayHave() throws IOException {
        take(of(HOLDER));
        proc.boot("22222222-2222-4222-8222-222222222222");
        Options allowed = Options.DEFAULT.allowingNetworkFileSystem();
        assertThat(acquire(of(OTHER, FileSystemKind.LOCAL, allowed))).isInstanceOf(Held.class);
    }

    @Test
    void hostThatTellsNothingOfItsProcessesHasTheTtlOnly() throws IOException {
        Path silent = procDirectory.resolve("silent");
        new FakeProc(silent);
        Machine mute = Machine.here().with(new HostProcesses(silent));
        take(new FileLeaseStore(directory, Options.DEFAULT, mute, clock));
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
        clock.advance(TTL);
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
        proc.end(OTHER);
        assertThat(acquire(new FileLeaseStore(directory, Options.DEFAULT, mute, clock)))
                .isInstanceOf(Held.class);
    }
}
