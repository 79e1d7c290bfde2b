package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.OWNER;
import static dev.leasehold.file.Requests.TTL;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.nonce;
import static dev.leasehold.file.Requests.request;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.AcquireResult.Spent;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileLeaseStoreTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private final ManualClock clock = new ManualClock();

    private FileLeaseStore open() {
        return open(directory);
    }

    private FileLeaseStore open(Path path) {
        return new FileLeaseStore(path, FileLeaseStore.Options.DEFAULT, Machine.here(), clock);
    }

    private List<Path> files(String below) throws IOException {
        return StoreFiles.below(directory.resolve(below));
    }

    @Test
    void secondStoreObjectSeesTheLeaseOfTheFirst() {
        LeaseRef lease = take(open());
        assertThat(acquire(open())).isInstanceOfSatisfying(Held.class, held -> {
            assertThat(held.owner()).isEqualTo(OWNER);
            assertThat(held.fence()).isEqualTo(lease.fence());
            assertThat(held.remaining()).isEqualTo(TTL);
        });
    }

    @Test
    void aRefusalWritesNothing() throws IOException {
        take(open());
        List<Path> before = files(".");
        acquire(open());
        assertThat(files(".")).isEqualTo(before);
    }

    @Test
    void releasedLeaseIsFreeAndItsNonceIsSpent() {
        AcquireRequest request = request();
        LeaseRef lease = take(open(), request);
        assertThat(open().release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(open().release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(open().acquire(request)).isInstanceOf(Spent.class);
        assertThat(take(open()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    void expiredLeaseIsRenewedUnlessSomebodyTookIt() {
        LeaseRef lease = take(open());
        clock.advance(TTL);
        assertThat(open().renew(List.of(lease))).hasSize(1);
        clock.advance(TTL);
        take(open());
        assertThat(open().renew(List.of(lease))).isEmpty();
        assertThat(open().release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    void releaseHandsOverToTheFirstInLine() {
        LeaseRef lease = take(open());
        AcquireRequest waiting = request().inLineFor(Duration.ofSeconds(10));
        assertThat(open().acquire(waiting))
                .isInstanceOfSatisfying(
                        Held.class, held -> assertThat(held.inLine()).isTrue());
        open().release(ReleaseRequest.of(lease));
        assertThat(acquire(open())).isInstanceOf(Held.class);
        assertThat(open().acquire(waiting)).isInstanceOf(Granted.class);
    }

    @Test
    void answerOfARunSurvivesWithItsBytes() {
        LeaseRef lease = take(open());
        byte[] bytes = new byte[300_000];
        bytes[7] = 42;
        Settlement done = Settlement.done(Payload.of(bytes), Duration.ofDays(1));
        assertThat(open().settle(SettleRequest.of(lease, done))).isEqualTo(SettleResult.SETTLED);
        LeaseSnapshot snapshot = open().find(KEY).orElseThrow();
        assertThat(snapshot.record().state()).isEqualTo(State.DONE);
        assertThat(snapshot.record().progress().payload()).isEqualTo(Payload.of(bytes));
    }

    @Test
    void onlyAFewVersionsAreKept() throws IOException {
        FileLeaseStore store = open();
        LeaseRef lease = take(store);
        for (int i = 0; i < 50; i++) {
            clock.advance(Duration.ofSeconds(1));
            store.renew(List.of(lease));
        }
        assertThat(files("keys")).hasSize(KeyDirectory.KEPT);
        assertThat(files("temp")).isEmpty();
    }

    @Test
    void listGoesThroughKeysInOrderPageByPage() {
        FileLeaseStore store = open();
        List<Key> keys =
                Stream.of("b", "a/2", "a/1", "é", "Z", "a/3").map(Key::of).toList();
        keys.forEach(key -> take(store, key));
        List<Key> found = new ArrayList<>();
        ListRequest request = ListRequest.of("").withLimit(2);
        Page page;
        do {
            page = store.list(request);
            page.records().forEach(snapshot -> found.add(snapshot.key()));
            request = request.after(page.next());
        } while (page.next() != null);
        assertThat(found).isEqualTo(keys.stream().sorted().toList());
        assertThat(store.list(ListRequest.of("a/")).records()).hasSize(3);
        assertThat(store.list(ListRequest.of("").only(State.DONE)).records()).isEmpty();
    }

    @Test
    void purgeDropsWhatIsOverAndFencesGrowAllTheSame() throws IOException {
        FileLeaseStore store = open();
        LeaseRef lease = take(store);
        store.release(ReleaseRequest.of(lease));
        take(store, Key.of("live"));
        assertThat(store.purge(Duration.ofDays(7), 100)).isZero();
        clock.advance(Duration.ofSeconds(1));
        assertThat(store.purge(Duration.ZERO, 100)).isEqualTo(1);
        assertThat(store.find(KEY)).isEmpty();
        assertThat(files("keys")).hasSize(1);
        assertThat(take(open()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    void purgeSweepsWhatDeadProcessesLeft() throws IOException {
        FileLeaseStore store = open();
        Path alive = directory.resolve("temp/" + ProcessHandle.current().pid() + "-a");
        Path dead = directory.resolve("temp/999999999-b");
        Files.createFile(alive);
        Files.createDirectory(dead);
        Files.createFile(dead.resolve("v1-c"));
        store.purge(Duration.ZERO, 1);
        assertThat(alive).exists();
        assertThat(dead).doesNotExist();
    }

    @Test
    @DisplayName("X06 A state file that is cut off anywhere, or has one wrong byte, is an error and never a free lease")
    void damagedStateIsAnError() throws IOException {
        FileLeaseStore store = open();
        take(store);
        Path file = files("keys").get(0);
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> acquire(store))
                    .isExactlyInstanceOf(StoreException.class)
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining("delete the directory");
            byte[] wrong = whole.clone();
            wrong[length] ^= 1;
            Files.write(file, wrong);
            assertThatThrownBy(() -> acquire(store)).isExactlyInstanceOf(StoreException.class);
        }
        assertThatThrownBy(() -> store.find(KEY)).isExactlyInstanceOf(StoreException.class);
        assertThatThrownBy(() -> store.list(ListRequest.of(""))).isExactlyInstanceOf(StoreException.class);
        assertThat(store.purge(Duration.ZERO, 10)).isZero();
        Files.write(file, whole);
        assertThat(acquire(store)).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("X04 Where somebody deleted the files of a key, its holder learns it from the next renewal")
    void deletedRecordIsALostLease() throws IOException {
        FileLeaseStore store = open();
        LeaseRef lease = take(store);
        StoreFiles.delete(StoreFiles.of(directory, KEY));
        assertThat(store.renew(List.of(lease))).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        assertThat(take(store).fence()).isGreaterThan(lease.fence());
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.NOT_HELD);
    }

    @Test
    @DisplayName("X06 A state in the directory of another key is an error")
    void stateOfAnotherKeyIsAnError() throws IOException {
        take(open());
        Path from = files("keys").get(0).getParent();
        Path to = StoreFiles.of(directory, Key.of("other"));
        Files.createDirectories(to.getParent());
        Files.move(from, to);
        assertThatThrownBy(() -> take(open(), Key.of("other")))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining(KEY.value());
    }

    @Test
    @DisplayName("X06 Where somebody deleted the version before the newest, the state is in doubt: an error")
    void missingPredecessorIsAnError() throws IOException {
        FileLeaseStore store = open();
        LeaseRef lease = take(store);
        for (int i = 0; i < 5; i++) {
            clock.advance(Duration.ofSeconds(1));
            store.renew(List.of(lease));
        }
        List<Path> versions = files("keys");
        Files.delete(versions.get(versions.size() - 2));
        assertThatThrownBy(() -> acquire(open()))
                .isExactlyInstanceOf(StoreException.class)
                .hasMessageContaining("by hand");
    }

    @Test
    @DisplayName("X08 Two paths to one directory are one store")
    void symbolicLinkLeadsToTheSameStore() throws IOException {
        Path real = Files.createDirectory(directory.resolve("real"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), real);
        take(open(real));
        assertThat(acquire(open(link))).isInstanceOf(Held.class);
        assertThat(acquire(open(link.resolve("../link/.")))).isInstanceOf(Held.class);
    }

    @Test
    @DisplayName("X09 Keys that a file system might confuse are different leases")
    void oddKeysAreDistinct() {
        List<Key> keys = Stream.of(
                        "a",
                        "A",
                        "a ",
                        " a",
                        "a/b",
                        "a%2Fb",
                        "a//b",
                        "a/",
                        "/a",
                        "\u00e9",
                        "e\u0301",
                        "ß",
                        "ss",
                        "CON",
                        "nul.txt",
                        "a:b",
                        "a\\b",
                        "*?",
                        "-rf",
                        "~",
                        "\uD83D\uDE80",
                        "x".repeat(512))
                .map(Key::of)
                .toList();
        FileLeaseStore store = open();
        keys.forEach(key -> take(store, key));
        keys.forEach(key -> assertThat(store.acquire(AcquireRequest.of(key, nonce(), OWNER, TTL)))
                .isInstanceOf(Held.class));
        assertThat(store.list(ListRequest.of("")).records()).hasSize(keys.size());
    }
}
