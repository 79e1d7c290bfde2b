package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Acquisition.Acquired;
import dev.leasehold.lease.Acquisition.Refused;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.ManualTime;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A project that is guarded by a lock of the system, or by a {@code .lock} file where there are none. */
class LeasesOnFilesTest {
    private static final Set<DiskStep> CHANGES =
            EnumSet.of(DiskStep.CREATE, DiskStep.LINK, DiskStep.MOVE, DiskStep.DELETE, DiskStep.MAKE_DIRECTORY);

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private final ManualTime time = new ManualTime();
    private final List<LeaseEvent> events = new ArrayList<>();
    private final Set<String> changed = new TreeSet<>();
    private final AtomicBoolean cannotLock = new AtomicBoolean();
    private final AtomicBoolean cannotDelete = new AtomicBoolean();
    private Path project;
    private Path lockFile;

    @BeforeEach
    void makeProject() throws IOException {
        project = Files.createDirectory(directory.resolve("project"));
        lockFile = project.resolve(".lock");
        Files.writeString(project.resolve("data.json"), "{}");
    }

    private Machine machine() {
        Disk disk = new Disk((step, path) -> {
            if (CHANGES.contains(step)) {
                changed.add(directory.toRealPath().relativize(path).toString());
            }
            boolean isLockFile = path.equals(project.toRealPath().resolve(".lock"));
            boolean isRefusedLock = step == DiskStep.LOCK && cannotLock.get();
            boolean isRefusedDelete = step == DiskStep.DELETE && isLockFile && cannotDelete.get();
            if (isRefusedLock || isRefusedDelete) {
                throw new FileSystemException(path.toString(), null, "Operation not permitted");
            }
        });
        return Machine.here().with(disk).withClocks(time.storeClock(), time.storeClock());
    }

    private LeaseStore lockFileStore() {
        return new LockFileStore(lockFile, KEY, machine(), false);
    }

    private LeaseStore withFallback() {
        LeaseStore primary = new OsLockStore(directory.resolve("project.os-lock"), KEY, machine(), false);
        return FallbackLeaseStore.of(primary, lockFileStore());
    }

    private Leases client(LeaseStore store) {
        Leases leases = Leases.builder(store).clockwork(time).withoutLog().build();
        leases.onEvent(events::add);
        return leases;
    }

    /** Does not wait: time stands still here. */
    private static Lease acquire(Leases leases, LeaseOptions options) {
        CompletableFuture<Acquisition> call = leases.acquireAsync(KEY, options);
        assertThat(call).isCompletedWithValueMatching(Acquired.class::isInstance);
        return call.join().orElseThrow();
    }

    private List<String> eventTypes() {
        return events.stream().map(LeaseEvent::type).toList();
    }

    @Test
    @DisplayName("L4 A lease of the primary never expires and needs no renewal")
    void primaryNeverExpires() {
        Lease lease = acquire(client(withFallback()), LeaseOptions.defaults());
        time.advance(Duration.ofDays(3));
        lease.ensure();
        assertThat(lease.expiresAt()).isEqualTo(Instant.MAX);
        assertThat(lease.backend()).isEqualTo("os-lock");
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(eventTypes()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("L4 Unsupported: the fallback has the lease at once, at the first attempt")
    void unsupportedGoesToTheFallbackAtOnce() {
        cannotLock.set(true);
        Lease lease = acquire(client(withFallback()), LeaseOptions.defaults());
        assertThat(lease.backend()).isEqualTo("lock-file");
        assertThat(lockFile).exists();
        assertThat(events).singleElement().isInstanceOfSatisfying(LeaseEvent.Acquired.class, acquired -> {
            assertThat(acquired.attempt()).isEqualTo(1);
            assertThat(acquired.source().backend()).isEqualTo("lock-file");
        });
    }

    @Test
    @DisplayName("L4 Contended: the primary is asked again after 0.5, 1, 2 and 4 s, and the fallback never")
    void contendedRetries() {
        acquire(client(withFallback()), LeaseOptions.defaults());
        events.clear();
        CompletableFuture<Acquisition> second = client(withFallback()).acquireAsync(KEY, LeaseOptions.defaults());
        time.advance(Duration.ofSeconds(8));
        assertThat(second).isCompletedWithValueMatching(Refused.class::isInstance);
        assertThat(retries())
                .extracting(LeaseEvent.Retry::delay)
                .extracting(Duration::toMillis)
                .containsExactly(500L, 1_000L, 2_000L, 4_000L);
        assertThat(retries()).extracting(LeaseEvent.Retry::reason).containsOnly(LeaseEvent.Reason.CONTENDED);
        assertThat(lockFile).doesNotExist();
    }

    private List<LeaseEvent.Retry> retries() {
        return events.stream()
                .filter(LeaseEvent.Retry.class::isInstance)
                .map(LeaseEvent.Retry.class::cast)
                .toList();
    }

    @Test
    @DisplayName("L5 A live .lock is contention; once expired it is an orphan and is taken over")
    void expiredLockIsTakenOver() {
        LeaseStore crashed = lockFileStore();
        Requests.take(crashed);
        Leases leases = client(lockFileStore());
        assertThat(leases.tryAcquire(KEY)).isInstanceOf(Refused.class);
        time.advance(TTL);
        Lease lease = acquire(leases, LeaseOptions.defaults());
        assertThat(lease.predecessor()).isPresent();
    }

    @Test
    @DisplayName("L5 The .lock is renewed at 20 s to 30 s from then")
    void lockIsRenewedAtTwentySeconds() {
        LeaseOptions options = LeaseOptions.defaults().withRenewEvery(Duration.ofSeconds(20));
        Lease lease = acquire(client(lockFileStore()), options);
        Instant start = lease.acquiredAt();
        assertThat(expiryInFile()).isEqualTo(start.plusSeconds(30));
        time.advance(Duration.ofSeconds(20));
        assertThat(eventTypes()).containsExactly("lock:acquired", "lock:renewed");
        Instant renewedAt = events.get(1).source().at();
        // Up to a tenth earlier, by chance, so that many clients do not renew all at once.
        assertThat(renewedAt).isBetween(start.plusSeconds(18), start.plusSeconds(20));
        assertThat(expiryInFile()).isEqualTo(renewedAt.plusSeconds(30));
    }

    private Instant expiryInFile() {
        long micros = lockFileStore().find(KEY).orElseThrow().record().expiryMicros();
        return Instant.EPOCH.plusNanos(micros * 1_000);
    }

    @Test
    @DisplayName("L5 Nothing but the .lock is made, changed or deleted, and it is gone at the end")
    void nothingElseIsTouched() throws Exception {
        Leases leases = client(lockFileStore());
        leases.with(KEY, LeaseOptions.defaults(), lease -> {
            time.advance(Duration.ofMinutes(5));
            lease.ensure();
            assertThat(project).isDirectoryContaining(file -> file.equals(lockFile));
            assertThat(StoreFiles.below(directory)).hasSize(2);
            return true;
        });
        assertThat(StoreFiles.below(directory)).containsExactly(project.resolve("data.json"));
        assertThat(changed).isNotEmpty().allMatch(name -> name.matches("project/\\.lock(\\..*)?"));
        assertThat(eventTypes())
                .startsWith("lock:acquired")
                .endsWith("lock:released")
                .contains("lock:renewed");
    }

    @Test
    @DisplayName("L7 A .lock that cannot be deleted is a warning, and the next acquire cleans up first")
    void undeletableLockIsCleanedUpByTheNextAcquire() throws Exception {
        Leases leases = client(lockFileStore());
        cannotDelete.set(true);
        String result = leases.with(KEY, LeaseOptions.defaults(), lease -> "done");
        assertThat(result).isEqualTo("done");
        assertThat(eventTypes()).containsExactly("lock:acquired", "lock:cleanup-warning");
        assertThat(lockFile).exists();
        assertThat(client(lockFileStore()).tryAcquire(KEY)).isInstanceOf(Refused.class);

        cannotDelete.set(false);
        assertThat(leases.tryAcquire(KEY))
                .isInstanceOfSatisfying(
                        Acquired.class,
                        acquired -> assertThat(acquired.lease().predecessor()).isEmpty());
    }
}
