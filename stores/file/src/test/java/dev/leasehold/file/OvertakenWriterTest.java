package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.TTL;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.nonce;
import static dev.leasehold.file.Requests.request;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process is stopped between its decision and its link, and the others go on. */
class OvertakenWriterTest {
    private interface Meanwhile {
        void happens() throws IOException;
    }

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private final ManualClock clock = new ManualClock();

    private FileLeaseStore open(Disk.Probe probe) {
        return new FileLeaseStore(
                directory, FileLeaseStore.Options.DEFAULT, Machine.here().with(new Disk(probe)), clock);
    }

    private FileLeaseStore open() {
        return open(Disk.Probe.NONE);
    }

    /** A store whose first change is held up at this step until something else has happened. */
    private FileLeaseStore heldUpAt(DiskStep step, Meanwhile meanwhile) {
        AtomicBoolean isOpen = new AtomicBoolean();
        FileLeaseStore store = open((at, path) -> {
            if (at == step && path.startsWith(directory.toRealPath().resolve("keys")) && isOpen.getAndSet(false)) {
                meanwhile.happens();
            }
        });
        isOpen.set(true);
        return store;
    }

    private static AcquireRequest requestOf(String owner) {
        return AcquireRequest.of(KEY, nonce(), Owner.of(owner), TTL);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 20})
    @DisplayName("X01 Who decided before others changed the record, however often, changes nothing")
    void overtakenWriterIsRefused(int changes) throws IOException {
        take(open());
        clock.advance(TTL);
        AtomicReference<LeaseRef> winner = new AtomicReference<>();
        FileLeaseStore late = heldUpAt(DiskStep.LINK, () -> {
            FileLeaseStore other = open();
            winner.set(take(other, requestOf("winner")));
            for (int i = 1; i < changes; i++) {
                clock.advance(Duration.ofMillis(1));
                other.renew(List.of(winner.get()));
            }
        });
        assertThat(late.acquire(requestOf("late")))
                .isInstanceOfSatisfying(
                        Held.class,
                        held -> assertThat(held.fence()).isEqualTo(winner.get().fence()));
        assertThat(open().renew(List.of(winner.get()))).hasSize(1);
        try (Stream<Path> files = Files.walk(directory.resolve("keys"))) {
            assertThat(files.filter(Files::isRegularFile).filter(OvertakenWriterTest::isLate))
                    .isEmpty();
        }
    }

    private static boolean isLate(Path file) {
        try {
            return Files.readString(file).contains("owner=late");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    @DisplayName("X01 Who is overtaken between its link and the check of it harms nobody")
    void writerOvertakenAfterTheLinkHarmsNobody(int changes) {
        take(open());
        clock.advance(TTL);
        AtomicReference<LeaseRef> winner = new AtomicReference<>();
        AtomicBoolean hasLinked = new AtomicBoolean();
        FileLeaseStore late = open((step, path) -> {
            if (step == DiskStep.LINK && path.toString().contains("keys")) {
                hasLinked.set(true);
            } else if (step == DiskStep.READ && hasLinked.getAndSet(false)) {
                clock.advance(TTL);
                FileLeaseStore other = open();
                winner.set(take(other));
                for (int i = 1; i < changes; i++) {
                    clock.advance(Duration.ofMillis(1));
                    other.renew(List.of(winner.get()));
                }
            }
        });
        AcquireResult result = late.acquire(request());
        assertThat(open().renew(List.of(winner.get()))).hasSize(1);
        assertThat(acquire(open())).isInstanceOf(Held.class);
        if (result instanceof Granted granted) {
            assertThat(granted.fence()).isLessThan(winner.get().fence());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4, 5, 8, Version.MEMORY})
    @DisplayName("L04 A release that was overtaken right after its link is still told as a release")
    void overtakenReleaseIsToldAsARelease(int changes) {
        assertThat(releaseOvertakenBy(changes)).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    @DisplayName("L04 A release that was overtaken more often than anybody remembers is unknown, not refused")
    void releaseOvertakenTooOftenIsUnknown() {
        assertThatThrownBy(() -> releaseOvertakenBy(Version.MEMORY + 1)).isInstanceOf(StoreUnavailableException.class);
    }

    private ReleaseResult releaseOvertakenBy(int changes) {
        LeaseRef lease = take(open());
        AtomicBoolean hasLinked = new AtomicBoolean();
        FileLeaseStore late = open((step, path) -> {
            if (step == DiskStep.LINK && path.toString().contains("keys")) {
                hasLinked.set(true);
            } else if (step == DiskStep.READ && hasLinked.getAndSet(false)) {
                LeaseRef other = null;
                for (int i = 0; i < changes; i++) {
                    if (other == null) {
                        other = take(open());
                    } else {
                        open().release(ReleaseRequest.of(other));
                        other = null;
                    }
                }
            }
        });
        return late.release(ReleaseRequest.of(lease));
    }

    @Test
    @DisplayName("X01 Who decided before the record was purged does not bring it back")
    void purgedRecordIsNotBroughtBack() {
        LeaseRef first = take(open());
        AtomicReference<LeaseRef> last = new AtomicReference<>();
        FileLeaseStore late = heldUpAt(DiskStep.LINK, () -> {
            open().release(ReleaseRequest.of(first));
            last.set(purgedLease());
        });
        clock.advance(Duration.ofSeconds(1));
        assertThat(late.renew(List.of(first))).isEmpty();
        assertThat(open().find(KEY)).isEmpty();
        assertThat(take(open()).fence()).isGreaterThan(last.get().fence());
    }

    @Test
    @DisplayName("X01 Who decided before the record was purged and made again does nothing to the new one")
    void newLifeIsLeftAlone() {
        LeaseRef first = take(open());
        AtomicReference<LeaseRef> second = new AtomicReference<>();
        FileLeaseStore late = heldUpAt(DiskStep.LINK, () -> {
            open().release(ReleaseRequest.of(first));
            purgedLease();
            second.set(take(open()));
        });
        clock.advance(Duration.ofSeconds(1));
        assertThat(late.renew(List.of(first))).isEmpty();
        assertThat(open().renew(List.of(second.get()))).hasSize(1);
    }

    @Test
    @DisplayName("X01 A link into a directory that a purge has emptied, and not yet removed, is no state")
    void linkIntoAnEmptiedDirectoryIsNoState() throws IOException {
        LeaseRef first = take(open());
        FileLeaseStore late = heldUpAt(DiskStep.LINK, () -> {
            open().release(ReleaseRequest.of(first));
            clock.advance(Duration.ofSeconds(1));
            // Dies when the directory is empty.
            FileLeaseStore purger = open((step, path) -> {
                if (step == DiskStep.DELETE
                        && Files.isDirectory(path)
                        && path.toString().contains("keys")) {
                    throw new IOException("killed");
                }
            });
            try {
                purger.purge(Duration.ZERO, 1);
            } catch (RuntimeException e) {
                assertThat(e).hasRootCauseMessage("killed");
            }
        });
        clock.advance(Duration.ofSeconds(1));
        assertThat(late.renew(List.of(first))).isEmpty();
        assertThat(open().find(KEY)).isEmpty();
        take(open());
    }

    @Test
    @DisplayName("X01 What one left who died right after such a link is swept, and never believed")
    void vainLinkOfTheDeadIsNeverBelieved() throws IOException {
        LeaseRef first = take(open());
        FileLeaseStore store = open();
        for (int i = 0; i < 3; i++) {
            clock.advance(Duration.ofSeconds(1));
            store.renew(List.of(first));
        }
        Path keyDirectory = keyDirectory();
        Path stale;
        try (Stream<Path> files = Files.list(keyDirectory)) {
            stale = files.sorted().reduce((a, b) -> b).orElseThrow();
        }
        byte[] content = Files.readAllBytes(stale);
        store.release(ReleaseRequest.of(first));
        purgedLease();
        Files.createDirectory(keyDirectory);
        Files.write(keyDirectory.resolve(stale.getFileName()), content);
        assertThat(open().find(KEY)).isEmpty();
        assertThat(open().renew(List.of(first))).isEmpty();
        take(open());
        assertThat(keyDirectory.resolve(stale.getFileName())).doesNotExist();
    }

    @Test
    @DisplayName(
            "F02 Who decided while there was no record, before one came and was purged, gets a larger fence than it")
    void fenceGrowsPastARecordThatCameAndWentUnseen() {
        AtomicReference<LeaseRef> unseen = new AtomicReference<>();
        FileLeaseStore late = heldUpAt(DiskStep.MOVE, () -> {
            clock.advance(Duration.ofSeconds(1));
            unseen.set(take(open()));
            open().release(ReleaseRequest.of(unseen.get()));
            clock.advance(Duration.ofSeconds(1));
            assertThat(open().purge(Duration.ZERO, 1)).isEqualTo(1);
        });
        assertThat(take(late).fence()).isGreaterThan(unseen.get().fence());
    }

    /** Takes the free lease, releases it and purges it; returns what it was. */
    private LeaseRef purgedLease() {
        FileLeaseStore store = open();
        clock.advance(Duration.ofSeconds(1));
        LeaseRef lease = take(store);
        store.release(ReleaseRequest.of(lease));
        clock.advance(Duration.ofSeconds(1));
        assertThat(store.purge(Duration.ZERO, 1)).isEqualTo(1);
        return lease;
    }

    private Path keyDirectory() {
        return StoreFiles.of(directory, KEY);
    }
}
