package dev.leasehold.analysis;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.SetOptions;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.protobuf.Message;
import dev.leasehold.servers.firestore.FaultHook;
import dev.leasehold.servers.firestore.FirestoreServer;
import dev.leasehold.servers.firestore.Mode;
import io.grpc.Status;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Documents in Firestore, by way of Google's client: served by Leasehold's own server, or in pessimistic mode by the one that
 * {@code FIRESTORE_EMULATOR_HOST} names.
 */
final class Documents implements Place {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final @Nullable FirestoreServer server;
    private final String host;
    private final Firestore client;
    private final Map<String, List<String>> changes = new HashMap<>();
    private final Map<String, Map<String, String>> known = new HashMap<>();

    Documents(Mode mode) {
        String elsewhere = mode == Mode.PESSIMISTIC ? System.getenv("FIRESTORE_EMULATOR_HOST") : null;
        server = elsewhere == null
                ? FirestoreServer.start(dev.leasehold.servers.firestore.Settings.DEFAULT.withMode(mode))
                : null;
        host = server == null ? elsewhere : server.host();
        client = FirestoreOptions.newBuilder()
                .setProjectId("leasehold")
                .setEmulatorHost(host)
                .build()
                .getService();
        if (hasPower()) {
            repair();
        }
    }

    @Override
    public boolean hasPower() {
        return server != null;
    }

    @Override
    public Settings settings(Map<String, String> environment) {
        Map<String, String> all = new HashMap<>(environment());
        all.putAll(environment);
        return Settings.of(List.of(), all);
    }

    @Override
    public Map<String, String> environment() {
        return Map.of("PORT", "0", "FIRESTORE_EMULATOR_HOST", host);
    }

    private DocumentReference document(String id) {
        return client.collection("analyses").document(id);
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Map<String, @Nullable Object> read(String id) {
        Map<String, Object> data = get(document(id).get()).getData();
        return data == null ? new LinkedHashMap<>() : new LinkedHashMap<>(data);
    }

    @Override
    public void write(String id, Map<String, @Nullable Object> fields) {
        Map<String, Object> written = new HashMap<>();
        fields.forEach((field, value) -> written.put(field, value == null ? FieldValue.delete() : value));
        get(document(id).set(written, SetOptions.merge()));
    }

    @Override
    public List<String> changes(String id) {
        synchronized (changes) {
            return List.copyOf(changes.getOrDefault(id, List.of()));
        }
    }

    /** Keeps what each commit made of a document, once it has been applied. */
    private final class Watch implements FaultHook {
        @Override
        public void after(String method, Message request) {
            if (request instanceof CommitRequest commit) {
                commit.getWritesList().forEach(Documents.this::note);
            }
        }
    }

    private void note(Write write) {
        Document document = write.getUpdate();
        String id = document.getName().substring(document.getName().lastIndexOf('/') + 1);
        synchronized (changes) {
            boolean isNew = !known.containsKey(id);
            Map<String, String> state = known.computeIfAbsent(id, same -> new HashMap<>());
            for (String field : List.of("status", "lockOwner", "lockFence")) {
                if (document.containsFields(field)) {
                    Value value = document.getFieldsOrThrow(field);
                    state.put(field, value.hasIntegerValue() ? "" + value.getIntegerValue() : value.getStringValue());
                } else if (!write.hasUpdateMask()
                        || write.getUpdateMask().getFieldPathsList().contains(field)) {
                    state.remove(field);
                }
            }
            if (!isNew) {
                String owner = state.get("lockOwner");
                String fence = state.get("lockFence");
                changes.computeIfAbsent(id, same -> new ArrayList<>())
                        .add(state.get("status")
                                + (owner == null ? "" : " locked by " + owner)
                                + (fence == null ? "" : " fence " + fence));
            }
        }
    }

    /** After the first look, which a transaction follows, and before that transaction begins. */
    @Override
    public void finishWhileAcquiring(String id, Runnable acquiring) {
        AtomicBoolean isDone = new AtomicBoolean();
        server.disturb(new FaultHook() {
            @Override
            public void before(String method, Message request) {
                if (method.equals("BeginTransaction") && isDone.compareAndSet(false, true)) {
                    get(document(id).update(FieldPath.of("status"), "READY"));
                }
            }
        });
        try {
            acquiring.run();
            if (!isDone.get()) {
                throw new IllegalStateException("The document was acquired without a transaction.");
            }
        } finally {
            repair();
        }
    }

    @Override
    public void fail() {
        server.disturb(new FaultHook() {
            @Override
            public void before(String method, Message request) {
                throw Status.PERMISSION_DENIED
                        .withDescription("The test wants it.")
                        .asRuntimeException();
            }
        });
    }

    @Override
    public void repair() {
        server.disturb(new Watch());
    }

    @Override
    public Object time(Instant moment) {
        return TIME.format(moment);
    }

    @Override
    public void close() {
        client.shutdown();
        if (server != null) {
            server.close();
        }
    }
}
