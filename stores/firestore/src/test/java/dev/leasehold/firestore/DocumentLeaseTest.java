package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.Timestamp;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.RunSpec;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreRefusedException;
import dev.leasehold.store.StoreUnsupportedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Leases on the user's documents")
class DocumentLeaseTest {
    private static final Duration TTL = Duration.ofMinutes(5);

    private final String id = UUID.randomUUID().toString();
    private DocumentsUnderTest documents;
    private LeaseStore store;
    private LeaseStore other;

    private void open(Mode mode, UnaryOperator<DocumentMapping> change) {
        documents = new DocumentsUnderTest(TestFirestore.shared(mode), change);
        store = documents.open();
        other = documents.open();
        documents.create(id, "PENDING", "two words");
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        documents.close();
    }

    private AcquireRequest ask(String owner) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Nonce nonce = new Nonce(random.nextLong(), random.nextLong());
        return AcquireRequest.of(documents.keyOf(id), nonce, Owner.of(owner), TTL);
    }

    private static LeaseRef granted(LeaseStore store, AcquireRequest request) {
        AcquireResult result = store.acquire(request);
        assertThat(result).isInstanceOf(AcquireResult.Granted.class);
        return new LeaseRef(request.key(), request.nonce(), ((AcquireResult.Granted) result).fence());
    }

    static DocumentMapping withoutFence(DocumentMapping other) {
        return DocumentMapping.of(other.collection())
                .owner("lockOwner")
                .expiry("lockExpiresAt")
                .doneWhen("status", "READY")
                .writes("text");
    }

    @Test
    @Tag("part-of:ANALYSIS-1")
    @DisplayName(
            "are written to the fields that ANALYSIS-1 names, times as text with three digits; fence and heartbeat outlive the lock")
    void documentedFields() {
        open(Mode.PESSIMISTIC, mapping -> mapping.ownerAsIs());
        LeaseRef lease = granted(store, ask("worker-1"));

        assertThat(documents.data(id)).containsEntry("lockOwner", "worker-1");
        assertThat((String) documents.data(id).get("lockExpiresAt"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat((String) documents.data(id).get("lockHeartbeatAt"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        assertThat(documents.data(id))
                .containsOnlyKeys("id", "text", "status", "lockFence", "lockHeartbeatAt", "attempts")
                .containsEntry("lockFence", lease.fence().value());
    }

    @Test
    @Tag("part-of:ANALYSIS-11")
    @DisplayName("with the owner as it is, any process ends and extends what the owner has, and nobody else's")
    void byOwner() {
        for (UnaryOperator<DocumentMapping> shape :
                List.<UnaryOperator<DocumentMapping>>of(mapping -> mapping, DocumentLeaseTest::withoutFence)) {
            if (documents != null) {
                close();
            }
            open(Mode.OPTIMISTIC, mapping -> shape.apply(mapping).ownerAsIs());
            granted(store, ask("worker-1"));
            assertThat(store.acquire(ask("worker-1"))).isInstanceOf(AcquireResult.Held.class);

            LeaseSnapshot found = other.find(documents.keyOf(id)).orElseThrow();
            assertThat(Objects.requireNonNull(found.record().tenure()).owner()).isEqualTo(Owner.of("worker-1"));
            LeaseRef seen = Objects.requireNonNull(found.record().ref());
            assertThat(other.renew(seen, Duration.ofMinutes(9)).orElseThrow().remaining())
                    .isEqualTo(Duration.ofMinutes(9));
            assertThat(other.release(ReleaseRequest.of(seen))).isEqualTo(ReleaseResult.RELEASED);
            granted(store, ask("worker-2"));
            assertThat(other.release(ReleaseRequest.of(seen))).isEqualTo(ReleaseResult.RELEASED);
            assertThat(documents.data(id)).containsEntry("lockOwner", "worker-2");
        }
    }

    @Test
    @Tag("part-of:ANALYSIS-11")
    @DisplayName("of one owner with one expiry are released one by one, and again after the same lock is written anew")
    void alikeLocks() {
        for (UnaryOperator<DocumentMapping> shape :
                List.<UnaryOperator<DocumentMapping>>of(mapping -> mapping, DocumentLeaseTest::withoutFence)) {
            for (boolean isAsIs : new boolean[] {false, true}) {
                if (documents != null) {
                    close();
                }
                open(Mode.OPTIMISTIC, mapping -> isAsIs ? shape.apply(mapping).ownerAsIs() : shape.apply(mapping));
                for (String each : List.of("one", "two", "one")) {
                    documents.create(each, "PENDING", "two words");
                    documents.set(each, "lockOwner", "theirs");
                    documents.set(each, "lockExpiresAt", "2999-01-01T00:00:00.000Z");
                    LeaseRef seen = store.find(documents.keyOf(each))
                            .orElseThrow()
                            .record()
                            .ref();
                    for (int times = 0; times < 2; times++) {
                        assertThat(store.release(ReleaseRequest.of(seen))).isEqualTo(ReleaseResult.RELEASED);
                        assertThat(documents.data(each)).doesNotContainKeys("lockOwner", "lockExpiresAt");
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    @Tag("part-of:ANALYSIS-9")
    @DisplayName("go to exactly one of many callers at once, and to none once the document is READY")
    void race(Mode mode) throws Exception {
        open(mode, mapping -> mapping);
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Callable<AcquireResult>> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                LeaseStore one = i % 2 == 0 ? store : other;
                AcquireRequest request = ask("worker-" + i);
                calls.add(() -> one.acquire(request));
            }
            List<AcquireResult> results = new ArrayList<>();
            for (Future<AcquireResult> answer : threads.invokeAll(calls)) {
                results.add(answer.get());
            }
            assertThat(results)
                    .filteredOn(result -> result instanceof AcquireResult.Granted)
                    .hasSize(1);
            assertThat(results)
                    .filteredOn(result -> result instanceof AcquireResult.Held)
                    .hasSize(15);
        } finally {
            threads.shutdownNow();
        }
        documents.expire(id);
        for (String finished : List.of("READY", "FAILED")) {
            documents.set(id, "status", finished);
            assertThat(store.acquire(ask("a"))).isInstanceOf(AcquireResult.Settled.class);
        }
    }

    @Test
    @DisplayName("are free without owner or expiry, whatever the other says")
    void free() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        for (Object owner : new Object[] {null, ""}) {
            for (Object expiry : new Object[] {"2999-01-01T00:00:00.000Z", "", "soon", 17L}) {
                documents.set(id, "lockOwner", owner);
                documents.set(id, "lockExpiresAt", expiry);
                assertThat(store.release(ReleaseRequest.of(granted(store, ask("a")))))
                        .isEqualTo(ReleaseResult.RELEASED);
            }
        }
        documents.set(id, "lockOwner", "somebody");
        documents.set(id, "lockExpiresAt", "2999-01-01T00:00:00.000Z");
        assertThat(store.acquire(ask("a"))).isInstanceOf(AcquireResult.Held.class);
        documents.set(id, "lockExpiresAt", null);
        granted(store, ask("a"));
    }

    @Test
    @Tag("part-of:ANALYSIS-3")
    @DisplayName("that cannot be read are left out of a list, and of a finished document they do not matter")
    void unreadableLocks() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        documents.create("finished", "READY", "done");
        documents.set("finished", "lockOwner", 7L);
        documents.set("finished", "lockExpiresAt", "soon");
        documents.set("finished", "lockFence", "many");
        documents.create("odd", "PENDING", "text");
        documents.set("odd", "lockOwner", 7L);
        assertThat(store.acquire(AcquireRequest.of(documents.keyOf("finished"), new Nonce(1, 2), Owner.of("a"), TTL)))
                .isInstanceOf(AcquireResult.Settled.class);
        assertThat(store.list(ListRequest.of("")).records())
                .extracting(LeaseSnapshot::key)
                .containsExactlyInAnyOrder(documents.keyOf("finished"), documents.keyOf(id));
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.find(documents.keyOf("odd")))
                .withMessageContaining("lockOwner");
    }

    @Test
    @DisplayName("are judged by any time with an offset, any fraction, and Firestore's timestamps")
    void times() {
        open(Mode.OPTIMISTIC, mapping -> mapping);
        documents.set(id, "lockOwner", "somebody");
        Instant now = Instant.now();
        List<Object> live = List.of(
                now.plusSeconds(60).toString(),
                "2999-01-01T00:00:00+02:00",
                "2999-01-01T00:00:00.123456789Z",
                "2999-01-01T00:00Z",
                Timestamp.ofTimeSecondsAndNanos(now.getEpochSecond() + 60, 0));
        for (Object time : live) {
            documents.set(id, "lockExpiresAt", time);
            assertThat(store.acquire(ask("a"))).as("%s", time).isInstanceOf(AcquireResult.Held.class);
        }
        List<Object> over = List.of(
                "2020-01-01T00:00:00+09:00",
                now.minusSeconds(1).toString(),
                Timestamp.ofTimeSecondsAndNanos(now.getEpochSecond() - 1, 999));
        for (Object time : over) {
            documents.set(id, "lockOwner", "somebody");
            documents.set(id, "lockExpiresAt", time);
            assertThat(store.acquire(ask("a")))
                    .as("%s", time)
                    .isInstanceOfSatisfying(
                            AcquireResult.Granted.class,
                            granted -> assertThat(granted.predecessor()).isNotNull());
        }
    }

    @Test
    @DisplayName("are neither granted nor stale while a field of the lock holds something else: an error that names it")
    void wrongTimes() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        documents.set(id, "lockOwner", "somebody");
        for (Object wrong : new Object[] {"", "soon", "2026-01-01T00:00:00", 17L, true, List.of(), "99999-99-99"}) {
            documents.set(id, "lockExpiresAt", wrong);
            assertThatExceptionOfType(StoreException.class)
                    .as("%s", wrong)
                    .isThrownBy(() -> store.acquire(ask("a")))
                    .withMessageContaining("lockExpiresAt")
                    .withMessageContaining(id);
            assertThat(documents.data(id)).containsEntry("lockOwner", "somebody");
        }
        documents.set(id, "lockExpiresAt", null);
        documents.set(id, "lockFence", "many");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("a")))
                .withMessageContaining("lockFence");
    }

    @Test
    @DisplayName("can be in fields whose names have dots, blanks and other alphabets")
    void dottedNames() {
        open(
                Mode.OPTIMISTIC,
                mapping -> DocumentMapping.of(mapping.collection())
                        .owner("lock.owner")
                        .expiry("lock.expires at")
                        .fence("`lock`")
                        .doneWhen("状態", "済")
                        .writes("a.b", "a"));
        LeaseRef lease = granted(store, ask("a"));
        assertThat(documents.data(id)).containsKeys("lock.owner", "lock.expires at", "`lock`");
        assertThat(store.renew(List.of(lease))).hasSize(1);
        Fields written = Fields.of("a.b", "dot").and("a", List.of(1, "two"));
        assertThat(store.settle(SettleRequest.of(lease, Settlement.done(written)))
                        .isSettled())
                .isTrue();
        assertThat(documents.data(id))
                .containsEntry("a.b", "dot")
                .containsEntry("a", List.of(1L, "two"))
                .containsEntry("状態", "済")
                .doesNotContainKey("lock.owner")
                .containsEntry("text", "two words");
    }

    @Test
    @DisplayName("are not renewed, released or settled by an overtaken holder; without a fence, the nonce tells")
    void overtaken() {
        for (Mode mode : Mode.values()) {
            if (documents != null) {
                close();
            }
            open(mode, DocumentLeaseTest::withoutFence);
            LeaseRef first = granted(store, ask("a"));
            documents.expire(id);
            assertThat(store.renew(List.of(first)))
                    .as("expired, but nobody took it")
                    .hasSize(1);
            documents.expire(id);
            LeaseRef second = granted(other, ask("a"));
            assertThat(second.fence()).isGreaterThan(first.fence());

            assertThat(store.renew(List.of(first))).isEmpty();
            assertThat(store.release(ReleaseRequest.of(first))).isEqualTo(ReleaseResult.NOT_HELD);
            assertThat(store.settle(SettleRequest.of(first, Settlement.done(Fields.of("text", "late"))))
                            .isSettled())
                    .isFalse();
            assertThat(documents.data(id)).containsEntry("text", "two words");
            assertThat(other.settle(SettleRequest.of(second, Settlement.done(Fields.of("text", "done"))))
                            .isSettled())
                    .isTrue();
            // Asked again after the reply was lost: the store that settled is sure, another one cannot tell.
            assertThat(other.settle(SettleRequest.of(second, Settlement.done(Fields.of("text", "done"))))
                            .isSettled())
                    .isTrue();
            assertThat(store.settle(SettleRequest.of(second, Settlement.done(Fields.of("text", "done"))))
                            .kind())
                    .isEqualTo(SettleResult.Kind.UNKNOWN);
        }
    }

    @Test
    @DisplayName("end with a refusal if the result does not fit into the document, and nothing is written")
    void tooLarge() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        LeaseRef lease = granted(store, ask("a"));
        assertThatExceptionOfType(StoreRefusedException.class)
                .isThrownBy(() ->
                        store.settle(SettleRequest.of(lease, Settlement.done(Fields.of("text", "x".repeat(1 << 20))))))
                .withMessageContaining(id);
        assertThatExceptionOfType(StoreRefusedException.class)
                .isThrownBy(() -> store.settle(
                        SettleRequest.of(lease, Settlement.done(Fields.of("text", List.of(List.of("nested")))))))
                .withMessageContaining("array");
        assertThat(documents.data(id)).containsEntry("status", "PENDING").containsKey("lockOwner");
        assertThat(store.settle(SettleRequest.of(lease, Settlement.failed(Fields.of("error", "é".repeat(1 << 20)))))
                        .isSettled())
                .isTrue();
        assertThat((String) documents.data(id).get("error")).hasSize(10_000);
    }

    @Test
    @DisplayName("are missing for ids that no document can have, and refused for keys of another collection")
    void ids() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        for (String wrong : List.of("__x__", "a/b", ".", "..", "nobody")) {
            AcquireRequest request = AcquireRequest.of(documents.keyOf(wrong), new Nonce(1, 2), Owner.of("a"), TTL);
            assertThat(store.acquire(request)).as(wrong).isInstanceOf(AcquireResult.Missing.class);
            assertThat(store.find(request.key())).isEmpty();
        }
        for (String odd : List.of("50%", "%2F", "a.b", "~0", "口腔ケア", "_x_")) {
            documents.create(odd, null, "t");
            AcquireRequest request = AcquireRequest.of(documents.keyOf(odd), new Nonce(1, 2), Owner.of("a"), TTL);
            assertThat(store.acquire(request)).as(odd).isInstanceOf(AcquireResult.Granted.class);
        }
        assertThat(store.list(ListRequest.of("").only(State.HELD)).records())
                .extracting(LeaseSnapshot::key)
                .hasSize(6)
                .isSorted();
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.find(Key.of("elsewhere/1")))
                .withMessageContaining("keyOf");
    }

    @Test
    @DisplayName("cannot be forgotten once they are answered: the document is its owner's, who says so in its status")
    void forget() throws Exception {
        open(Mode.OPTIMISTIC, mapping -> mapping);
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            Once<Fields> once = Once.on(leases, documents.keyOf(id), RunSpec.of(RecordCodec.fields()));
            Outcome.Ran<Fields> ran = (Outcome.Ran<Fields>) once.run(run -> Fields.NONE);
            assertThatExceptionOfType(StoreUnsupportedException.class)
                    .isThrownBy(() -> once.forget(ran.fence()))
                    .withMessageContaining(documents.keyOf(id).value())
                    .withMessageContaining("its field status");
            assertThat(documents.data(id)).containsEntry("status", "READY");
            documents.set(id, "status", "PENDING");
            assertThat(once.forget(ran.fence()))
                    .as("there is nothing to forget")
                    .isFalse();
        }
    }

    @Test
    @DisplayName("are not recorded if a person marks the document and clears the lock while the work runs")
    void finishedAndClearedByHand() throws Exception {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            Once<Fields> once = Once.on(leases, documents.keyOf(id), RunSpec.of(RecordCodec.fields()));
            Outcome<Fields> outcome = once.run(run -> {
                documents.set(id, "status", "READY");
                documents.set(id, "lockOwner", null);
                documents.set(id, "lockExpiresAt", null);
                return Fields.of("words", 2L);
            });
            assertThat(outcome).isInstanceOf(Outcome.Unrecorded.class);
        }
        assertThat(documents.data(id)).doesNotContainKey("words");
    }

    @Test
    @DisplayName(
            "count attempts until the document is released or settled, but not when it is released for another try")
    void attempts() {
        open(Mode.OPTIMISTIC, mapping -> mapping);
        store.release(ReleaseRequest.of(granted(store, ask("a"))).withEnding(ReleaseRequest.Ending.KEEP_ATTEMPTS));
        LeaseRef second = granted(store, ask("a"));
        assertThat(documents.data(id)).containsEntry("attempts", 2L);
        store.release(ReleaseRequest.of(second));
        assertThat(documents.data(id)).containsEntry("attempts", 0L);
        LeaseRef third = granted(store, ask("a"));
        assertThat(documents.data(id)).containsEntry("attempts", 1L);
        assertThat(store.settle(SettleRequest.of(third, Settlement.done(Fields.of("words", 2L)))))
                .satisfies(settled -> assertThat(settled.isSettled()).isTrue())
                .extracting(SettleResult::fields)
                .satisfies(fields -> assertThat(Objects.requireNonNull(fields).number("attempts"))
                        .isZero());
        assertThat(documents.data(id)).containsEntry("attempts", 0L);
    }

    @Test
    @DisplayName("need a mapping with owner and expiry, each field once; what is wrong is named with its collection")
    void mappings() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        DocumentMapping jobs = DocumentsUnderTest.jobs("jobs");
        for (DocumentMapping wrong : List.of(
                DocumentMapping.of("jobs").owner("o"),
                jobs.heartbeat("lockOwner"),
                jobs.writes("status"),
                DocumentMapping.of("jobs").owner("o").expiry("e").failedWhen("s", "F"))) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .as("%s", wrong)
                    .isThrownBy(wrong::complete)
                    .withMessageContaining(" of jobs ");
        }
        for (String wrong : List.of("", "a/b", "a//b")) {
            assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> DocumentMapping.of(wrong));
        }
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> jobs.owner("__o__"));
    }

    @Test
    @DisplayName("are not opened with a setting that is for a collection of leases: that is refused with what to do")
    void settingsForACollection() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        assertNotForDocuments(FirestoreLeaseStore.builder(documents.client).collection("x"), "collection(...)");
        assertNotForDocuments(FirestoreLeaseStore.builder(documents.client).keyPrefix("x/"), "keyPrefix(...)");
        assertNotForDocuments(
                FirestoreLeaseStore.builder(documents.client).field("by", LeaseField.OWNER), "field(...)");
    }

    private void assertNotForDocuments(FirestoreLeaseStoreBuilder builder, String setting) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> builder.onDocuments(documents.mapping))
                .withMessageContainingAll(setting, "onDocuments", "Leave it out.");
    }

    @Test
    @DisplayName("are refused what they have no place for, with what to do instead")
    void noPlace() {
        open(Mode.PESSIMISTIC, mapping -> mapping);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> store.acquire(ask("a").withFingerprint("f")))
                .withMessageContaining("cannot keep a fingerprint")
                .withMessageContaining("Leave it out, or use a store with a collection of Leasehold's own.");
    }
}
