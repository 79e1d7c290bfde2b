package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.NoCredentials;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.protobuf.Message;
import dev.leasehold.servers.firestore.FaultHook;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StaleLeaseException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A store in Firestore")
class FirestoreLeaseStoreTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    private TestFirestore server;
    private Firestore client;

    private void start(Mode mode) {
        server = new TestFirestore(mode);
        client = server.client();
    }

    @BeforeEach
    void none() {
        server = null;
        client = null;
    }

    @AfterEach
    void stop() {
        if (client != null) {
            client.shutdownNow();
        }
        if (server != null) {
            server.close();
        }
    }

    private static AcquireRequest ask(String key) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return AcquireRequest.of(Key.of(key), new Nonce(random.nextLong(), random.nextLong()), Owner.of("a"), TTL);
    }

    private static LeaseRef take(LeaseStore store, String key) {
        AcquireRequest request = ask(key);
        return new LeaseRef(request.key(), request.nonce(), ((AcquireResult.Granted) store.acquire(request)).fence());
    }

    @Test
    @DisplayName("leaves a client that was handed in open, and says so if that client was closed")
    void clientHandedIn() throws Exception {
        start(Mode.PESSIMISTIC);
        FirestoreLeaseStore.builder(client).open().close();
        assertThat(client.document("a/b").get().get().exists()).isFalse();

        LeaseStore store = FirestoreLeaseStore.builder(client).open();
        client.shutdownNow();
        assertThatExceptionOfType(StoreException.class).isThrownBy(() -> store.acquire(ask("k")));
    }

    @Test
    @DisplayName("is refused at once if the rights are missing, or if nothing answers, with what to do")
    void startChecks() {
        start(Mode.PESSIMISTIC);
        for (String method : List.of("BatchGetDocuments", "Commit", "RunQuery")) {
            server.server.disturb(new FaultHook() {
                @Override
                public void before(String asked, Message request) {
                    if (asked.equals(method)) {
                        throw Status.PERMISSION_DENIED.withDescription("no").asRuntimeException();
                    }
                }
            });
            assertThatExceptionOfType(StoreException.class)
                    .as(method)
                    .isThrownBy(() -> server.builder().open())
                    .withMessageContaining("roles/datastore.user");
        }
        server.server.disturb(FaultHook.NONE);
        Firestore wrong = FirestoreOptions.newBuilder()
                .setProjectId("test")
                .setEmulatorHost(server.server.host())
                .setCredentials(NoCredentials.getInstance())
                .build()
                .getService();
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> FirestoreLeaseStore.builder(wrong).open())
                .withMessageContaining("NoCredentials");
        wrong.shutdownNow();

        FirestoreLeaseStoreBuilder late = server.builder().callLimit(Duration.ofMillis(500));
        server.close();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(late::open)
                .withMessageContaining("test/(default)");
    }

    @Test
    @DisplayName("names an error in the client, and a wrong setting of it, as what it is")
    void clientErrors() {
        start(Mode.PESSIMISTIC);
        Trouble trouble = Trouble.of(new ArithmeticException("by zero"), false);
        assertThat(trouble.kind()).isEqualTo(Trouble.Kind.FATAL);
        assertThat(new Database(client, false, TTL).explained(trouble))
                .hasMessage(
                        "A request to test/(default) failed in the client, or the server does not know it: by zero");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> server.builder().emulator("not a host").open())
                .withMessageContaining("not a host")
                .withMessageNotContaining("project is not known");
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600, 3_600})
    @DisplayName("judges by the server's clock alone: that of this machine may be an hour off")
    void clockOff(long seconds) {
        start(Mode.OPTIMISTIC);
        server.advance(Duration.ofSeconds(seconds));
        try (LeaseStore store = server.builder().open();
                LeaseStore other = server.builder().open()) {
            LeaseRef lease = take(store, "k");
            assertThat(other.acquire(ask("k")))
                    .isInstanceOfSatisfying(
                            AcquireResult.Held.class,
                            held -> assertThat(held.remaining()).isBetween(TTL.minusSeconds(10), TTL));
            server.advance(TTL.minusSeconds(10));
            assertThat(other.acquire(ask("k"))).isInstanceOf(AcquireResult.Held.class);
            assertThat(store.renew(List.of(lease))).hasSize(1);
            server.advance(TTL.minusSeconds(10));
            assertThat(other.acquire(ask("k"))).isInstanceOf(AcquireResult.Held.class);
            server.advance(Duration.ofSeconds(10));
            assertThat(other.acquire(ask("k"))).isInstanceOf(AcquireResult.Granted.class);
        }
    }

    @Test
    @DisplayName("extends 250 leases by two requests for each hundred")
    void renewsManyAtOnce() {
        start(Mode.PESSIMISTIC);
        try (LeaseStore store = server.builder().open()) {
            List<LeaseRef> leases = new ArrayList<>();
            for (int i = 0; i < 250; i++) {
                leases.add(take(store, "k" + i));
            }
            ConcurrentLinkedQueue<String> requests = new ConcurrentLinkedQueue<>();
            server.server.disturb(new FaultHook() {
                @Override
                public void before(String method, Message request) {
                    requests.add(method);
                }
            });
            assertThat(store.renew(leases)).hasSize(250).allMatch(renewal -> renewal.isExtended());
            assertThat(requests)
                    .containsExactly(
                            "BatchGetDocuments",
                            "Commit",
                            "BatchGetDocuments",
                            "Commit",
                            "BatchGetDocuments",
                            "Commit");
        }
    }

    @Test
    @DisplayName("says of a lease that a transaction has locked that it was not extended, and extends the others")
    void renewsAroundALock() throws Exception {
        start(Mode.PESSIMISTIC);
        try (LeaseStore store =
                server.builder().callLimit(Duration.ofSeconds(2)).open()) {
            LeaseRef locked = take(store, "locked");
            LeaseRef free = take(store, "free");
            DocumentReference document = client.collection("leasehold").document("locked");
            client.runTransaction(transaction -> {
                        transaction.get(document).get();
                        assertThat(store.renew(List.of(locked, free)))
                                .hasSize(2)
                                .allSatisfy(renewal -> assertThat(renewal.isExtended())
                                        .isEqualTo(renewal.lease().equals(free)));
                        return null;
                    })
                    .get();
            assertThat(store.renew(List.of(locked))).allMatch(renewal -> renewal.isExtended());
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @DisplayName("guards a transaction of the user's: it commits under the current lease or not at all")
    void fence(Mode mode) throws Exception {
        start(mode);
        DocumentReference effect = client.document("effects/1");
        try (FirestoreLeaseStore store = FirestoreLeaseStore.builder(client).open();
                LeaseStore other =
                        server.builder().callLimit(Duration.ofMillis(400)).open()) {
            LeaseRef lease = take(store, "k");
            client.runTransaction(transaction -> {
                        store.fence(transaction, lease);
                        return transaction.set(
                                effect, Map.of("fence", lease.fence().value()));
                    })
                    .get();
            assertThat(effect.get().get().getLong("fence"))
                    .isEqualTo(lease.fence().value());

            assertThatThrownBy(() -> {
                        try (FirestoreLeaseStore stranger = server.builder().open()) {
                            client.runTransaction(transaction -> {
                                        stranger.fence(transaction, lease);
                                        return null;
                                    })
                                    .get();
                        }
                    })
                    .hasRootCauseInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another Firestore client");
            AtomicInteger tries = new AtomicInteger();
            assertThatThrownBy(() -> client.runTransaction(transaction -> {
                                store.fence(transaction, lease);
                                if (tries.incrementAndGet() == 1 && mode == Mode.OPTIMISTIC) {
                                    store.release(ReleaseRequest.of(lease));
                                    take(other, "k");
                                } else if (mode == Mode.PESSIMISTIC) {
                                    assertThatExceptionOfType(StoreUnavailableException.class)
                                            .isThrownBy(() -> other.release(ReleaseRequest.of(lease)));
                                    throw new StaleLeaseException(lease);
                                }
                                return transaction.set(effect, Map.of("fence", -1L));
                            })
                            .get())
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseInstanceOf(StaleLeaseException.class);
            assertThat(effect.get().get().getLong("fence"))
                    .isEqualTo(lease.fence().value());
        }
    }

    @Test
    @DisplayName("guards a transaction by the user's own document, too")
    void fenceOnDocuments() throws Exception {
        start(Mode.OPTIMISTIC);
        DocumentsUnderTest documents = new DocumentsUnderTest(server, mapping -> mapping);
        String id = UUID.randomUUID().toString();
        documents.create(id, "PENDING", "text");
        try (DocumentLeaseStore store =
                FirestoreLeaseStore.builder(documents.client).onDocuments(documents.mapping)) {
            LeaseRef lease = take(store, documents.keyOf(id).value());
            documents
                    .client
                    .runTransaction(transaction -> {
                        store.fence(transaction, lease);
                        return transaction.update(documents.document(id), "status", "READY", "lockOwner", null);
                    })
                    .get();
            assertThat(documents.data(id)).containsEntry("status", "READY");
            assertThatThrownBy(() -> documents
                            .client
                            .runAsyncTransaction(transaction -> store.fenceAsync(transaction, lease))
                            .get())
                    .hasRootCauseInstanceOf(StaleLeaseException.class);
        } finally {
            documents.close();
        }
    }

    @Test
    @DisplayName("refuses an answer that no document can hold, and a document that is no record, by name")
    void refusals() throws Exception {
        start(Mode.PESSIMISTIC);
        try (LeaseStore store = server.builder().open()) {
            LeaseRef lease = take(store, "k");
            Payload huge = Payload.of(new byte[Records.MAX_PAYLOAD + 1]);
            assertThatExceptionOfType(StoreRefusedException.class)
                    .isThrownBy(() -> store.settle(SettleRequest.of(lease, Settlement.done(huge, TTL))))
                    .withMessageContaining("key k");
            client.document("leasehold/strange")
                    .set(Map.of("v", 1, "key", "strange"))
                    .get();
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> store.acquire(ask("strange")))
                    .withMessageContaining("leasehold/strange");
        }
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> server.builder().field("fence", LeaseField.OWNER))
                .withMessageContaining("fence");
    }

    @Test
    @DisplayName("is named by a URL of project, database and collection, each of which may be left out")
    void urls() {
        assertThat(FirestoreUrl.of(StoreUrl.of("firestore:"))).isEqualTo(new FirestoreUrl(null, null, "leasehold"));
        assertThat(FirestoreUrl.of(StoreUrl.of("firestore:my-project")))
                .isEqualTo(new FirestoreUrl("my-project", null, "leasehold"));
        assertThat(FirestoreUrl.of(StoreUrl.of("firestore:example.com:my-project/db-2?collection=sync_locks")))
                .isEqualTo(new FirestoreUrl("example.com:my-project", "db-2", "sync_locks"));
        StoreUrl url = StoreUrl.of("firestore:my-project/db?collection=locks");
        assertThat(url).hasToString("firestore:my-project/db?collection=locks");
        assertThat(Stores.provider(url)).isInstanceOf(FirestoreStoreProvider.class);
        for (String wrong : List.of("firestore://host", "firestore:p/d/c", "firestore:p?kollektion=x")) {
            assertThatExceptionOfType(StoreException.class)
                    .as(wrong)
                    .isThrownBy(() -> Stores.open(wrong))
                    .withMessageContaining("firestore:PROJECT/DATABASE");
        }
    }
}
