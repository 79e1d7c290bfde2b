package dev.leasehold.firestore;

import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.ServiceOptions;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link FirestoreLeaseStore} or {@link DocumentLeaseStore}. The defaults are right for nearly everybody. */
public final class FirestoreLeaseStoreBuilder {
    /** The collection of leases, unless another one is given. */
    public static final String COLLECTION = "leasehold";

    private final @Nullable Firestore client;
    private final @Nullable String project;
    private final @Nullable String databaseId;
    private @Nullable String emulator;
    private @Nullable String collection;
    private @Nullable String keyPrefix;
    private Duration callLimit = Duration.ofSeconds(5);
    private final Map<String, LeaseField> fields = new LinkedHashMap<>();

    FirestoreLeaseStoreBuilder(Firestore client) {
        this.client = client;
        this.project = null;
        this.databaseId = null;
    }

    /** @param project null for the one that the environment names */
    FirestoreLeaseStoreBuilder(@Nullable String project, @Nullable String databaseId) {
        this.client = null;
        this.project = project;
        this.databaseId = databaseId;
    }

    /** The collection of leases; default {@value #COLLECTION}. It should hold nothing else. {@link #onDocuments} refuses it. */
    public FirestoreLeaseStoreBuilder collection(String path) {
        this.collection = path;
        return this;
    }

    /**
     * The prefix that every key has and no document id has: with {@code "sync/"}, the key {@code sync/食事} is the document
     * {@code 食事}. Other keys are refused. {@link #onDocuments} refuses it.
     */
    public FirestoreLeaseStoreBuilder keyPrefix(String prefix) {
        this.keyPrefix = prefix;
        return this;
    }

    /**
     * Adds a field to the documents of leases, for other programs to read. {@link #onDocuments} refuses it.
     *
     * @throws IllegalArgumentException if the store uses the name itself
     */
    public FirestoreLeaseStoreBuilder field(String name, LeaseField value) {
        Records.checkName(name);
        fields.put(name, value);
        return this;
    }

    /** How long a call may take; default 5 s. A request that is not answered within a quarter of it is sent again. */
    public FirestoreLeaseStoreBuilder callLimit(Duration limit) {
        this.callLimit = Lanes.checkLimit(limit);
        return this;
    }

    FirestoreLeaseStoreBuilder emulator(String host) {
        this.emulator = host;
        return this;
    }

    /**
     * Opens the store, after one read, one write that changes nothing and one query.
     *
     * @throws StoreUnavailableException if Firestore cannot be reached
     * @throws StoreException if project, database, credentials or rights are missing, with what to do about it
     */
    public FirestoreLeaseStore open() {
        String path = collection == null ? COLLECTION : collection;
        String prefix = keyPrefix == null ? "" : keyPrefix;
        return opened(database -> {
            FirestoreLeaseStore store =
                    new FirestoreLeaseStore(database, path, new DocumentIds(prefix), new Records(fields));
            StartChecks.access(database, database.firestore.collection(path).document(StartChecks.CHECK));
            StartChecks.index(database, database.firestore.collection(path));
            return store;
        });
    }

    /**
     * Opens a store on the user's own documents, after one read and one write that changes nothing.
     *
     * @throws IllegalArgumentException if the mapping lacks what every document needs, or if {@link #collection},
     *     {@link #keyPrefix} or {@link #field} was called
     * @throws StoreUnavailableException if Firestore cannot be reached
     * @throws StoreException if project, database, credentials or rights are missing, with what to do about it
     */
    public DocumentLeaseStore onDocuments(DocumentMapping mapping) {
        refuse(collection != null, "collection(...)", "the mapping names the collection");
        refuse(keyPrefix != null, "keyPrefix(...)", "the keys begin with the mapping's collection");
        refuse(!fields.isEmpty(), "field(...)", "the mapping names the fields");
        DocumentMapping complete = mapping.complete();
        return opened(database -> {
            CollectionReference documents = database.firestore.collection(complete.collection());
            StartChecks.access(database, documents.document());
            return new DocumentLeaseStore(database, documents, complete);
        });
    }

    private static void refuse(boolean isSet, String setting, String instead) {
        if (isSet) {
            throw new IllegalArgumentException(
                    setting + " is for a collection of leases; with onDocuments " + instead + ". Leave it out.");
        }
    }

    private <S> S opened(Function<Database, S> opening) {
        Database database = new Database(client == null ? newClient() : client, client == null, callLimit);
        boolean isOpen = false;
        try {
            StartChecks.client(database.firestore);
            StartChecks.tellEmulator(database.firestore);
            S store = opening.apply(database);
            isOpen = true;
            return store;
        } finally {
            if (!isOpen) {
                database.close();
            }
        }
    }

    /** A client that asks once: when to ask again, and for how long, is the store's business. */
    private Firestore newClient() {
        try {
            FirestoreOptions.Builder options = FirestoreOptions.newBuilder()
                    .setRetrySettings(RetrySettings.newBuilder()
                            .setMaxAttempts(1)
                            .setInitialRpcTimeoutDuration(callLimit)
                            .setMaxRpcTimeoutDuration(callLimit)
                            .setTotalTimeoutDuration(callLimit)
                            .build());
            if (project != null) {
                options.setProjectId(project);
            }
            if (databaseId != null) {
                options.setDatabaseId(databaseId);
            }
            if (emulator != null) {
                options.setEmulatorHost(emulator);
            }
            return options.build().getService();
        } catch (IllegalArgumentException e) {
            boolean isProjectKnown = project != null || ServiceOptions.getDefaultProjectId() != null;
            String advice = isProjectKnown
                    ? "The Firestore client does not take a setting. Correct what it names: "
                    : "Firestore's project is not known. Name it in the URL, firestore:my-project, or in the variable"
                            + " GOOGLE_CLOUD_PROJECT: ";
            throw new StoreException(advice + e.getMessage(), e);
        }
    }
}
