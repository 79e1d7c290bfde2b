package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.ForwardingStore;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FallbackLeaseStoreTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private final AtomicReference<String> whyNoLock = new AtomicReference<>("");

    private Disk disk() {
        return new Disk((step, path) -> {
            if (step == DiskStep.LOCK && !whyNoLock.get().isEmpty()) {
                throw new FileSystemException(path.toString(), null, whyNoLock.get());
            }
        });
    }

    private FallbackLeaseStore open() {
        OsLockStore primary = new OsLockStore(
                directory.resolve("os.lock"), KEY, Machine.here().with(disk()), true);
        return FallbackLeaseStore.of(primary, LockFileStore.at(directory.resolve(".lock"), KEY));
    }

    @Test
    @Tag("part-of:LOCK-4")
    @DisplayName("Where locks are not supported, the fallback grants at once, and does the rest")
    void unsupportedGoesToTheFallback() throws IOException {
        whyNoLock.set("No locks available");
        FallbackLeaseStore store = open();
        LeaseRef lease = take(store);
        assertThat(store.name()).isEqualTo("lock-file");
        assertThat(directory.resolve(".lock")).exists();
        assertThat(store.renew(List.of(lease))).hasSize(1);
        assertThat(store.find(KEY)).isPresent();
        assertThat(acquire(open())).isInstanceOf(Held.class);
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(directory.resolve(".lock")).doesNotExist();
    }

    @Test
    @Tag("part-of:LOCK-4")
    @DisplayName("A lease that is held in the primary is contended; the fallback is not asked")
    void contentionNeverChangesTheStore() {
        take(open());
        FallbackLeaseStore other = open();
        assertThat(acquire(other)).isInstanceOf(Held.class);
        assertThat(other.name()).isEqualTo("os-lock");
        assertThat(directory.resolve(".lock")).doesNotExist();
    }

    @Test
    @DisplayName("A disk that fails is no reason to change the store")
    void failureNeverChangesTheStore() {
        whyNoLock.set("Input/output error");
        FallbackLeaseStore store = open();
        assertThatThrownBy(() -> acquire(store)).isInstanceOf(StoreUnavailableException.class);
        assertThat(directory.resolve(".lock")).doesNotExist();
        whyNoLock.set("");
        take(store);
        assertThat(store.name()).isEqualTo("os-lock");
    }

    @Test
    @DisplayName("Once the primary has answered, it is never left, or two could hold the lease")
    void primaryThatWorkedIsNeverLeft() {
        FallbackLeaseStore store = open();
        LeaseRef lease = take(store);
        store.release(ReleaseRequest.of(lease));
        whyNoLock.set("No locks available");
        assertThatThrownBy(() -> acquire(store)).isInstanceOf(StoreUnsupportedException.class);
        assertThat(directory.resolve(".lock")).doesNotExist();
    }

    @Test
    void beforeTheFirstAcquireBothAreLookedAt() {
        whyNoLock.set("No locks available");
        take(open());
        assertThat(open().find(KEY)).isPresent();
        assertThat(open().list(ListRequest.of("")).records()).hasSize(1);
    }

    @Test
    @DisplayName("What records can keep is what the store in use says, and the primary until that is decided")
    void recordsAreThoseOfTheStoreInUse() {
        whyNoLock.set("No locks available");
        LeaseStore osLock = new OsLockStore(
                directory.resolve("os.lock"), KEY, Machine.here().with(disk()), true);
        RecordTraits first = RecordTraits.of("first");
        RecordTraits second = RecordTraits.of("second");
        FallbackLeaseStore store = FallbackLeaseStore.of(
                withRecords(osLock, first), withRecords(LockFileStore.at(directory.resolve(".lock"), KEY), second));
        assertThat(store.recordTraits()).contains(first);
        take(store);
        assertThat(store.recordTraits()).contains(second);
    }

    private static LeaseStore withRecords(LeaseStore store, RecordTraits traits) {
        return new ForwardingStore(store) {
            @Override
            public Optional<RecordTraits> recordTraits() {
                return Optional.of(traits);
            }
        };
    }
}
