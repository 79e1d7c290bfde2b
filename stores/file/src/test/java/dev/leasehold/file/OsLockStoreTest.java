package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.OWNER;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.request;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.AcquireResult.Spent;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operating-system lock as one process sees it. Processes that are gone are made up; see FakeProc. */
class OsLockStoreTest {
    private static final long HOLDER = 100;
    private static final long OTHER = 200;

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @TempDir(factory = MemoryDisk.class)
    Path procDirectory;

    private final ManualClock clock = new ManualClock();
    private FakeProc proc;
    private Path file;

    @BeforeEach
    void startProcesses() throws IOException {
        proc = new FakeProc(procDirectory).start(HOLDER, 5_000).start(OTHER, 6_000);
        file = directory.resolve("os.lock");
    }

    private OsLockStore of(long pid) throws IOException {
        return of(pid, file);
    }

    private OsLockStore of(long pid, Path path) throws IOException {
        Machine machine = Machine.here().with(proc.seenBy(pid)).withClocks(clock, clock);
        return new OsLockStore(path, KEY, machine, false);
    }

    @Test
    @Tag("part-of:LOCK-4")
    @DisplayName("A lease that the system keeps never expires, and renewing it writes nothing")
    void leaseNeverExpires() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        clock.advance(Duration.ofDays(365));
        byte[] before = Files.readAllBytes(file);
        assertThat(of(HOLDER).renew(List.of(lease))).containsExactly(new Renewal(lease, Micros.FOREVER));
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
        assertThat(acquire(of(OTHER))).isInstanceOfSatisfying(Held.class, held -> {
            assertThat(held.owner()).isEqualTo(OWNER);
            assertThat(held.remaining()).isGreaterThanOrEqualTo(Micros.FOREVER);
        });
    }

    @Test
    void askingAgainGivesTheSameLease() throws IOException {
        AcquireRequest request = request();
        LeaseRef lease = take(of(HOLDER), request);
        assertThat(take(of(HOLDER), request)).isEqualTo(lease);
    }

    @Test
    void releasedLeaseIsFreeWithALargerFence() throws IOException {
        AcquireRequest request = request();
        LeaseRef lease = take(of(HOLDER), request);
        assertThat(of(HOLDER).release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(of(HOLDER).renew(List.of(lease))).isEmpty();
        assertThat(of(OTHER).acquire(request)).isInstanceOf(Spent.class);
        assertThat(take(of(OTHER)).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("T08 The lease of a process that is gone is taken over, and the taker learns from whom")
    void leaseOfAnEndedProcessIsTaken() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        assertThat(acquire(of(OTHER))).isInstanceOf(Held.class);
        proc.end(HOLDER);
        assertThat(acquire(of(OTHER)))
                .isInstanceOfSatisfying(
                        Granted.class,
                        granted -> assertThat(granted.predecessor()).isEqualTo(new Predecessor(OWNER, lease.fence())));
    }

    @Test
    @DisplayName(
            "T06 With a lock delay, the lease of a process that is gone is taken that long after its death is seen")
    void lockDelayCountsFromWhenTheDeathIsNoticed() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        proc.end(HOLDER);
        Duration delay = Duration.ofSeconds(10);
        clock.advance(Duration.ofDays(1));
        assertThat(of(OTHER).acquire(request().withLockDelay(delay))).isInstanceOf(Held.class);
        clock.advance(delay.minusNanos(1_000));
        assertThat(of(OTHER).acquire(request().withLockDelay(delay))).isInstanceOf(Held.class);
        clock.advance(Duration.ofNanos(1_000));
        assertThat(of(OTHER).acquire(request().withLockDelay(delay))).isInstanceOfSatisfying(Granted.class, granted -> {
            assertThat(granted.fence()).isGreaterThan(lease.fence());
            assertThat(granted.predecessor()).isEqualTo(new Predecessor(OWNER, lease.fence()));
        });
    }

    @Test
    @DisplayName("T06 A wall clock set back does not make the lock delay longer than once again")
    void lockDelayStartsAnewWhenTheClockIsSetBack() throws IOException {
        take(of(HOLDER));
        proc.end(HOLDER);
        Duration delay = Duration.ofSeconds(10);
        clock.advance(Duration.ofDays(1));
        assertThat(of(OTHER).acquire(request().withLockDelay(delay))).isInstanceOf(Held.class);
        clock.advance(Duration.ofHours(-1));
        assertThat(of(OTHER).acquire(request().withLockDelay(delay))).isInstanceOf(Held.class);
        clock.advance(delay);
        assertThat(of(OTHER).acquire(request().withLockDelay(delay))).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("T09 Another process with the same number started later is no holder")
    void reusedProcessNumberIsNoHolder() throws IOException {
        take(of(HOLDER));
        proc.start(HOLDER, 5_001);
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("X12 After a reboot the lease of before is free")
    void rebootFreesTheLease() throws IOException {
        take(of(HOLDER));
        proc.boot("22222222-2222-4222-8222-222222222222");
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    @Test
    @DisplayName("X12 After a reboot the lease of before is kept if another host could have it")
    void rebootFreesNothingThatAnotherHostMayHave() throws IOException {
        take(of(HOLDER));
        proc.boot("22222222-2222-4222-8222-222222222222");
        for (FileSystemKind kind : List.of(FileSystemKind.SHARED, FileSystemKind.LOCAL)) {
            Machine machine = Machine.here().with(proc.seenBy(OTHER)).on(kind);
            assertThat(acquire(new OsLockStore(file, KEY, machine, true)))
                    .as(kind.toString())
                    .isInstanceOf(Held.class);
        }
    }

    @Test
    @DisplayName("X04 Where somebody deleted the file, its holder learns it from the next renewal")
    void deletedFileIsALostLease() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        Files.delete(file);
        assertThat(of(HOLDER).renew(List.of(lease))).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(take(of(OTHER)).fence()).isGreaterThan(lease.fence());
        assertThat(of(HOLDER).release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.NOT_HELD);
        assertThat(acquire(of(HOLDER))).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("X04 A lock on a file that was deleted and made anew just before is no lock")
    void lockOnADeletedFileIsNoLock() throws IOException {
        of(HOLDER).release(ReleaseRequest.of(take(of(HOLDER))));
        byte[] content = Files.readAllBytes(file);
        Path place = Files.createDirectory(directory.resolve("late"));
        Path exchanged = place.resolve("os.lock");
        Files.write(exchanged, content);
        AtomicBoolean isDone = new AtomicBoolean();
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LOCK && !isDone.getAndSet(true)) {
                Files.delete(exchanged);
                Files.write(exchanged, content);
            }
        });
        Machine machine = Machine.here().with(disk).with(proc.seenBy(OTHER));
        LeaseRef lease = take(new OsLockStore(exchanged, KEY, machine, true));
        assertThat(isDone).isTrue();
        assertThat(of(OTHER, exchanged).renew(List.of(lease))).hasSize(1);
    }

    @Test
    @DisplayName("X06 A file that is empty, of the wrong length, or garbage is an error and never a free lease")
    void damagedFileIsAnError() throws IOException {
        take(of(HOLDER));
        proc.end(HOLDER);
        byte[] whole = Files.readAllBytes(file);
        byte[] garbage = new byte[whole.length];
        Arrays.fill(garbage, (byte) 'x');
        for (int length = 0; length < whole.length; length += 512) {
            overwrite(Arrays.copyOf(whole, length));
            assertIsAnError();
        }
        overwrite(garbage);
        assertIsAnError();
        overwrite(new byte[whole.length]);
        assertIsAnError();
        overwrite(whole);
        assertThat(acquire(of(OTHER))).isInstanceOf(Granted.class);
    }

    /** In place: the file must stay the same one. */
    private void overwrite(byte[] content) throws IOException {
        try (RandomAccessFile target = new RandomAccessFile(file.toFile(), "rw")) {
            target.setLength(0);
            target.write(content);
        }
    }

    private void assertIsAnError() throws IOException {
        OsLockStore store = of(OTHER);
        assertThatThrownBy(() -> acquire(store))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("delete the file");
        assertThatThrownBy(() -> store.find(KEY)).isExactlyInstanceOf(StoreException.class);
    }

    @Test
    @DisplayName("X08 Two paths to one file are one lease, also by a hard link")
    void linksLeadToTheSameLease() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        Path soft = Files.createSymbolicLink(directory.resolve("soft"), file);
        Path hard = Files.createLink(directory.resolve("hard"), file);
        assertThat(acquire(of(OTHER, soft))).isInstanceOf(Held.class);
        assertThat(acquire(of(OTHER, hard))).isInstanceOf(Held.class);
        assertThat(of(HOLDER).release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(acquire(of(OTHER, hard))).isInstanceOf(Granted.class);
        assertThat(acquire(of(HOLDER, soft))).isInstanceOf(Held.class);
    }

    @Test
    void payloadThatDoesNotFitIsRefusedAndTheLeaseStays() throws IOException {
        LeaseRef lease = take(of(HOLDER));
        Settlement large = Settlement.done(Payload.of(new byte[4_000]), Duration.ofDays(1));
        OsLockStore store = of(HOLDER);
        assertThatThrownBy(() -> store.settle(SettleRequest.of(lease, large)))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("FileLeaseStore");
        assertThat(store.renew(List.of(lease))).hasSize(1);
    }

    /** A store whose writes fail while that is wanted. */
    private OsLockStore onDisk(AtomicBoolean isBroken) {
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.WRITE_SLOT && isBroken.get()) {
                throw new IOException("Input/output error");
            }
        });
        return new OsLockStore(file, KEY, Machine.here().with(disk), false);
    }

    private LeaseRef leftByAFailedRelease(OsLockStore store, AtomicBoolean isBroken) {
        LeaseRef lease = take(store);
        isBroken.set(true);
        assertThatThrownBy(() -> store.release(ReleaseRequest.of(lease))).isInstanceOf(StoreException.class);
        assertThat(acquire(store)).isInstanceOf(Held.class);
        isBroken.set(false);
        return lease;
    }

    @Test
    @DisplayName("A release that the disk refused is made up for by the next acquire of the process, through any store")
    void failedReleaseIsMadeUpFor() {
        AtomicBoolean isBroken = new AtomicBoolean();
        LeaseRef lease = leftByAFailedRelease(onDisk(isBroken), isBroken);
        assertThat(take(OsLockStore.at(file, KEY)).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("Closing the store makes up for a release that the disk refused, and keeps every other lease")
    void closingMakesUpForAFailedRelease() {
        AtomicBoolean isBroken = new AtomicBoolean();
        OsLockStore store = onDisk(isBroken);
        leftByAFailedRelease(store, isBroken);
        store.close();
        assertThat(store.find(KEY).orElseThrow().isHeld()).isFalse();
        LeaseRef lease = take(store);
        store.close();
        assertThat(store.renew(List.of(lease))).hasSize(1);
    }

    @Test
    @DisplayName("A release that was refused and then repeated ends no later lease")
    void repeatedReleaseEndsNoLaterLease() {
        AtomicBoolean isBroken = new AtomicBoolean();
        OsLockStore store = onDisk(isBroken);
        LeaseRef first = leftByAFailedRelease(store, isBroken);
        assertThat(store.release(ReleaseRequest.of(first))).isEqualTo(ReleaseResult.RELEASED);
        LeaseRef second = take(store);
        assertThat(acquire(store)).isInstanceOf(Held.class);
        assertThat(store.renew(List.of(second))).hasSize(1);
    }
}
