package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.request;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A directory store that other programs touch")
class StrayFilesTest {
    @TempDir(factory = MemoryDisk.class)
    Path parent;

    private final ManualClock clock = new ManualClock();

    private Path directory() {
        return parent.resolve("leases");
    }

    private FileLeaseStore open() {
        return new FileLeaseStore(directory(), FileLeaseStore.Options.DEFAULT, Machine.here(), clock);
    }

    /** Puts files and directories that are not the store's wherever there is a place for them. */
    private void litter() throws IOException {
        Path keys = directory().resolve("keys");
        Path shard = StoreFiles.of(directory(), KEY).getParent();
        for (Path place : List.of(
                directory(),
                keys,
                shard,
                StoreFiles.of(directory(), KEY),
                directory().resolve("temp"),
                directory().resolve("clock"))) {
            Files.writeString(place.resolve(".DS_Store"), "stray");
            Files.createDirectory(place.resolve("lost+found"));
        }
        Files.writeString(keys.resolve("zz"), "stray");
        Files.writeString(Files.isDirectory(keys.resolve("00")) ? keys.resolve("01") : keys.resolve("00"), "stray");
        Files.writeString(shard.resolve("f".repeat(64)), "stray");
        Files.writeString(directory().resolve("temp").resolve("99999999999999999999-x"), "stray");
    }

    @Test
    @DisplayName("lists its records whatever files lie between them")
    void lists() throws IOException {
        FileLeaseStore store = open();
        take(store);
        litter();
        assertThat(store.list(ListRequest.of("")).records())
                .extracting(LeaseSnapshot::key)
                .containsExactly(KEY);
    }

    @Test
    @DisplayName("purges its records whatever files lie between them, and leaves those files alone")
    void purges() throws IOException {
        FileLeaseStore store = open();
        store.release(ReleaseRequest.of(take(store)));
        litter();
        Files.delete(StoreFiles.of(directory(), KEY).resolve(".DS_Store"));
        Files.delete(StoreFiles.of(directory(), KEY).resolve("lost+found"));
        clock.advance(Duration.ofDays(2));
        assertThat(store.purge(Duration.ofDays(1), 10)).isOne();
        assertThat(store.list(ListRequest.of("")).records()).isEmpty();
        assertThat(directory().resolve("keys").resolve(".DS_Store")).exists();
        take(store);
    }

    @Test
    @DisplayName("does not purge a record beside which a stray file lies, so that the key can still be acquired")
    void keepsARecordWithAStray() throws IOException {
        FileLeaseStore store = open();
        LeaseRef lease = take(store);
        store.release(ReleaseRequest.of(lease));
        Files.writeString(StoreFiles.of(directory(), KEY).resolve(".DS_Store"), "stray");
        clock.advance(Duration.ofDays(2));
        assertThat(store.purge(Duration.ofDays(1), 10)).isZero();
        assertThat(take(store).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("refuses to acquire after its directory was removed, and makes nothing in its place")
    void removed() throws IOException {
        FileLeaseStore store = open();
        take(store);
        StoreFiles.delete(directory());
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(request()))
                .withMessageContaining(directory().toString())
                .withMessageContaining("removed")
                .withMessageContaining(KEY.value());
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(
                        () -> store.history().orElseThrow().append(List.of(HistoryNote.of(KEY, HistoryKind.ACQUIRED))))
                .withMessageContaining("removed");
        assertThat(directory()).doesNotExist();
        take(open());
    }

    @ParameterizedTest
    @ValueSource(strings = {"keys", "temp"})
    @DisplayName("refuses to acquire after a directory inside its own was removed, and says so")
    void partRemoved(String part) throws IOException {
        FileLeaseStore store = open();
        store.release(ReleaseRequest.of(take(store)));
        StoreFiles.delete(directory().resolve(part));
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(request()))
                .withMessageContaining(directory().toString())
                .withMessageContaining("removed")
                .withMessageContaining(KEY.value());
        take(open());
    }
}
