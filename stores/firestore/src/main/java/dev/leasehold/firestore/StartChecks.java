package dev.leasehold.firestore;

import com.google.cloud.NoCredentials;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.WriteBatch;
import dev.leasehold.store.StoreException;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;

/** Checks the database before a store is opened, so that a missing right or index is reported at the start. */
final class StartChecks {
    /** The id of a document that never exists: no key is written like this. */
    static final String CHECK = "~check";

    static final String EMULATOR = "FIRESTORE_EMULATOR_HOST";

    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.firestore");

    private static final AtomicBoolean IS_TOLD = new AtomicBoolean();

    private StartChecks() {}

    /** Refuses a client that would call Google's servers without credentials and without encryption. */
    static void client(Firestore firestore) {
        FirestoreOptions options = firestore.getOptions();
        boolean isLocal = options.getHost() != null && options.getHost().contains("localhost");
        if (NoCredentials.getInstance().equals(options.getCredentials()) && !isLocal) {
            throw new StoreException("The Firestore client was built with NoCredentials. With them it calls "
                    + options.getHost() + ", also if an emulator's host is set. Leave the credentials out:"
                    + " setEmulatorHost(...) or " + EMULATOR + " need none.");
        }
    }

    /** Says, once in a process, that the variable and not the program decides where requests go. */
    static void tellEmulator(Firestore firestore) {
        String host = System.getenv(EMULATOR);
        boolean isCalled = host != null && host.equals(firestore.getOptions().getEmulatorHost());
        if (isCalled && !IS_TOLD.getAndSet(true)) {
            LOGGER.log(
                    System.Logger.Level.INFO,
                    "Requests go to {0} and not to Google, because " + EMULATOR + " is set.",
                    host);
        }
    }

    /**
     * Reads a document that does not exist, and updates it: that proves the right to write and changes nothing.
     *
     * @throws dev.leasehold.store.StoreUnavailableException if the server does not answer
     * @throws StoreException if the project, the database, its mode or the rights are not what is needed
     */
    static void access(Database database, DocumentReference document) {
        Call call = database.openingCall();
        call.read(document);
        while (true) {
            WriteBatch batch = database.firestore.batch();
            batch.update(document, FieldPath.of("v"), 0L);
            try {
                call.commit(batch::commit);
                throw new StoreException("The document " + document.getPath()
                        + " exists, but Leasehold takes it for one that does not. Delete it.");
            } catch (Trouble trouble) {
                if (trouble.code() == Status.Code.NOT_FOUND) {
                    return;
                }
                call.pause(trouble);
            }
        }
    }

    /** Asks for what purge asks for: the answer is an error if the collection's index on the field was switched off. */
    static void index(Database database, CollectionReference collection) {
        database.openingCall()
                .read(collection
                        .whereLessThanOrEqualTo(Records.EXPIRY, Long.MIN_VALUE)
                        .orderBy(Records.EXPIRY)
                        .limit(1)::get);
    }
}
