package dev.leasehold.firestore;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.record.RecordsUnderTest;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Documents of a user's, with the fields that ANALYSIS-1 names, in a collection of the test's own. */
final class DocumentsUnderTest implements RecordsUnderTest {
    private final TestFirestore server;
    final Firestore client;
    final DocumentMapping mapping;

    DocumentsUnderTest(TestFirestore server, UnaryOperator<DocumentMapping> change) {
        this.server = server;
        this.client = server.client();
        this.mapping = change.apply(jobs("jobs-" + UUID.randomUUID()));
    }

    static DocumentMapping jobs(String collection) {
        return DocumentMapping.of(collection)
                .owner("lockOwner")
                .expiry("lockExpiresAt")
                .heartbeat("lockHeartbeatAt")
                .fence("lockFence")
                .attempts("attempts")
                .doneWhen("status", "READY")
                .failedWhen("status", "FAILED")
                .reason("error")
                .writes("text", "words");
    }

    @Override
    public LeaseStore open() {
        return server.builder().onDocuments(mapping);
    }

    @Override
    public Key keyOf(String id) {
        return mapping.keyOf(id);
    }

    DocumentReference document(String id) {
        return client.collection(mapping.collection()).document(id);
    }

    @Override
    public void create(String id, @Nullable String status, String text) {
        Map<String, Object> fields = new HashMap<>(Map.of("id", id, "text", text));
        if (status != null) {
            fields.put("status", status);
        }
        done(() -> document(id).set(fields).get());
    }

    @Override
    public void set(String id, String field, @Nullable Object value) {
        done(() -> document(id)
                .update(FieldPath.of(field), value == null ? FieldValue.delete() : value)
                .get());
    }

    Map<String, Object> data(String id) {
        return Objects.requireNonNull(done(() -> document(id).get().get().getData()));
    }

    @Override
    public Fields read(String id) {
        Map<String, Object> data = data(id);
        Map<String, @Nullable Object> fields = new HashMap<>();
        data.forEach((name, value) -> fields.put(name, DocumentValues.fromFirestore(value)));
        fields.put("locked", data.containsKey("lockOwner") && data.containsKey("lockExpiresAt"));
        fields.put("heard", data.containsKey("lockHeartbeatAt"));
        return Fields.of(fields);
    }

    @Override
    public void expire(String id) {
        set(id, "lockExpiresAt", "2020-02-29T12:00:00+09:00");
    }

    @Override
    public String nameOf(String id) {
        return mapping.collection() + "/" + id;
    }

    private interface Asking<T> {
        T ask() throws ExecutionException, InterruptedException;
    }

    private static <T> T done(Asking<T> asking) {
        try {
            return asking.ask();
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
