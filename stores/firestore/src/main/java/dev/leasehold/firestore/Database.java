package dev.leasehold.firestore;

import com.google.cloud.firestore.Firestore;
import dev.leasehold.store.StoreException;
import io.grpc.Status;
import java.time.Duration;

/**
 * The way to a Firestore database. Requests share one connection that the client looks after; each call of a verb has a
 * limit of its own.
 */
final class Database implements AutoCloseable {
    /** The first calls of a process load Google's client, which takes seconds on a busy machine. */
    private static final Duration OPENING = Duration.ofSeconds(20);

    final Firestore firestore;
    private final boolean isOurs;
    private final Duration callLimit;
    private final String name;

    Database(Firestore firestore, boolean isOurs, Duration callLimit) {
        this.firestore = firestore;
        this.isOurs = isOurs;
        this.callLimit = callLimit;
        this.name = firestore.getOptions().getProjectId() + "/"
                + firestore.getOptions().getDatabaseId();
    }

    /** Begins a call that checks the server when the store is opened. */
    Call openingCall() {
        return new Call(this, callLimit.compareTo(OPENING) > 0 ? callLimit : OPENING);
    }

    /** Begins a call, whose time runs from now. */
    Call call() {
        return new Call(this, callLimit);
    }

    Duration callLimit() {
        return callLimit;
    }

    /** A call's limit, and what a request that is begun just before it may take. */
    Duration longestCall() {
        return callLimit.multipliedBy(2);
    }

    /** Project and database, for messages. */
    String name() {
        return name;
    }

    /** What cannot be mended by asking again, with what to do about it. */
    StoreException explained(Trouble trouble) {
        return new StoreException(what(trouble.code(), String.valueOf(trouble.getMessage())), trouble.getCause());
    }

    private String what(Status.Code code, String message) {
        return switch (code) {
            case PERMISSION_DENIED ->
                "The credentials may not use the Firestore database " + name + ": " + message
                        + " Give the account the role \"Cloud Datastore User\" (roles/datastore.user), and see that the"
                        + " Firestore API is enabled in the project.";
            case UNAUTHENTICATED ->
                "Firestore does not accept the credentials for " + name + ": " + message
                        + " Name a service account's file in GOOGLE_APPLICATION_CREDENTIALS, or run \"gcloud auth"
                        + " application-default login\".";
            case NOT_FOUND ->
                "There is no Firestore database " + name + ": " + message
                        + " Check project and database, or create it: \"gcloud firestore databases create\".";
            case FAILED_PRECONDITION ->
                "The Firestore database " + name + " cannot do what is needed: " + message
                        + " It must be in native mode, not in Datastore mode, and may not lack an index.";
            case UNIMPLEMENTED ->
                "A request to " + name + " failed in the client, or the server does not know it: " + message;
            default -> "Firestore refuses a request to " + name + ": " + message;
        };
    }

    @Override
    public void close() {
        if (isOurs) {
            firestore.shutdownNow();
        }
    }
}
