package dev.leasehold.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Our Firestore server under the contract, each test with a collection of its own. The server's times never go back, as
 * Google's do not, so what is stored is moved instead.
 */
final class FirestoreUnderTest implements StoreUnderTest {
    private final TestFirestore server;
    private final String collection = "test-" + UUID.randomUUID();
    private final Firestore client;

    FirestoreUnderTest(Mode mode) {
        this.server = TestFirestore.shared(mode);
        this.client = server.client();
    }

    @Override
    public StoreTraits traits() {
        return StoreTraits.inMovedTime().withOperations(500).withLargestPayload(Records.MAX_PAYLOAD);
    }

    @Override
    public LeaseStore open() {
        return server.builder().collection(collection).open();
    }

    private CollectionReference leases() {
        return client.collection(collection);
    }

    @Override
    public void lose(Key key) throws Exception {
        leases().document(new DocumentIds("").of(key)).delete().get();
    }

    @Override
    public void elapse(Duration time) throws Exception {
        move(-Micros.of(time));
    }

    @Override
    public void setBack(Duration by) throws Exception {
        move(Micros.of(by));
    }

    private void move(long micros) throws Exception {
        for (QueryDocumentSnapshot document : leases().get().get().getDocuments()) {
            Map<String, Object> fields = new HashMap<>(document.getData());
            add(fields, "expiry", micros);
            add(fields, "since", micros);
            if (fields.get("state").equals("FREE")) {
                add(fields, "fence", micros);
            }
            if (fields.get("line") instanceof List<?> line) {
                fields.put(
                        "line",
                        line.stream()
                                .map(place -> moved((Map<?, ?>) place, micros))
                                .toList());
            }
            document.getReference().set(fields).get();
        }
    }

    private static Map<String, Object> moved(Map<?, ?> place, long micros) {
        Map<String, Object> fields = new HashMap<>();
        place.forEach((name, value) -> fields.put((String) name, value));
        add(fields, "since", micros);
        add(fields, "until", micros);
        return fields;
    }

    private static void add(Map<String, Object> fields, String name, long micros) {
        fields.computeIfPresent(name, (same, value) -> (Long) value + micros);
    }

    @Override
    public void close() throws Exception {
        client.close();
    }
}
