package dev.leasehold.analysis;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.leasehold.firestore.DocumentLeaseStore;
import dev.leasehold.firestore.DocumentMapping;
import dev.leasehold.firestore.FirestoreLeaseStore;
import dev.leasehold.servers.firestore.FirestoreServer;
import dev.leasehold.servers.firestore.JournalInUseException;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Analyses as documents of the collection {@code analyses} in Firestore. */
final class FirestoreAnalyses implements AnalysisStore {
    static final DocumentMapping MAPPING = DocumentMapping.of("analyses")
            .owner("lockOwner")
            .expiry("lockExpiresAt")
            .heartbeat("lockHeartbeatAt")
            .fence("lockFence")
            .attempts("attempts")
            .doneWhen("status", Analysis.READY)
            .failedWhen("status", Analysis.FAILED)
            .reason("error")
            .writes("language", "words", "sentences", "readability", "topWords");

    private static final Pattern URL = Pattern.compile("firestore:([a-zA-Z0-9.:_-]*)(?:/([a-zA-Z0-9()_-]+))?");
    private static final int LIMIT_SECONDS = 10;

    private final String description;
    private final @Nullable FirestoreServer server;
    private final Firestore client;
    private final DocumentLeaseStore leases;
    private final DocumentLeaseStore ownerLocks;

    private FirestoreAnalyses(String description, @Nullable FirestoreServer server, Firestore client) {
        this.description = description;
        this.server = server;
        this.client = client;
        this.leases = FirestoreLeaseStore.builder(client).onDocuments(MAPPING);
        this.ownerLocks = FirestoreLeaseStore.builder(client).onDocuments(MAPPING.ownerAsIs());
    }

    /** Starts a server of Leasehold's own, which keeps its documents in this file. */
    static FirestoreAnalyses embedded(Path file) {
        Path path = file.toAbsolutePath();
        FirestoreServer server = start(path);
        String description = FirestoreServer.LABEL + ": documents of the collection analyses, in the file " + path
                + ". More instances can share it by FIRESTORE_EMULATOR_HOST=" + server.host();
        return open(description, server, server.host(), "leasehold", null);
    }

    private static FirestoreServer start(Path file) {
        try {
            return FirestoreServer.start(dev.leasehold.servers.firestore.Settings.DEFAULT.withFile(file));
        } catch (UncheckedIOException e) {
            String advice = e.getCause() instanceof JournalInUseException
                    ? " If another instance runs here, share its store: FIRESTORE_EMULATOR_HOST=... PORT=0, with the"
                            + " address in the first line of its log. Or start in another directory."
                    : "";
            throw new StoreException(e.getMessage() + "." + advice, e);
        }
    }

    /**
     * Opens Firestore, or the emulator.
     *
     * @param url {@code firestore:PROJECT/DATABASE}, of which each part may be left out
     */
    static FirestoreAnalyses open(String url, @Nullable String emulator) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new StoreException(
                    "The URL of Firestore is firestore:PROJECT/DATABASE, of which each part may be left"
                            + " out. This one is not: " + url);
        }
        String project = parts.group(1);
        String where = emulator == null ? "Firestore" : "the Firestore emulator at " + emulator;
        return open(
                where + ": documents of the collection analyses" + (project.isEmpty() ? "" : ", project " + project),
                null,
                emulator,
                project.isEmpty() && emulator != null ? "leasehold" : project,
                parts.group(2));
    }

    private static FirestoreAnalyses open(
            String description,
            @Nullable FirestoreServer server,
            @Nullable String emulator,
            String project,
            @Nullable String database) {
        Firestore client = null;
        boolean isOpen = false;
        try {
            FirestoreOptions.Builder options = FirestoreOptions.newBuilder();
            if (!project.isEmpty()) {
                options.setProjectId(project);
            }
            if (database != null) {
                options.setDatabaseId(database);
            }
            if (emulator != null) {
                options.setEmulatorHost(emulator);
            }
            client = options.build().getService();
            FirestoreAnalyses analyses = new FirestoreAnalyses(description, server, client);
            isOpen = true;
            return analyses;
        } catch (IllegalArgumentException e) {
            throw new StoreException(
                    "Firestore cannot be opened. Name the project, by --store firestore:PROJECT or by"
                            + " GOOGLE_CLOUD_PROJECT. Google's client says: " + e.getMessage(),
                    e);
        } finally {
            if (!isOpen) {
                close(client, server);
            }
        }
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public LeaseStore leases() {
        return leases;
    }

    @Override
    public LeaseStore ownerLocks() {
        return ownerLocks;
    }

    @Override
    public Key keyOf(String id) {
        return MAPPING.keyOf(id);
    }

    @Override
    public void create(String id, String text) {
        try {
            client.collection("analyses")
                    .document(id)
                    .create(Map.of("status", Analysis.PENDING, "text", text))
                    .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new StoreException("The analysis could not be written: " + e.getMessage(), e);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    "Firestore did not confirm the analysis within " + LIMIT_SECONDS
                            + " s. It may have been written under an id that nobody was told; create it again.",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(
                    "The analysis may not have been written: the thread was interrupted.", e);
        }
    }

    @Override
    public void close() {
        ownerLocks.close();
        leases.close();
        close(client, server);
    }

    private static void close(@Nullable Firestore client, @Nullable FirestoreServer server) {
        if (client != null) {
            client.shutdown();
        }
        if (server != null) {
            server.close();
        }
    }
}
