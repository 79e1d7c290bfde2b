package dev.leasehold.firestore;

import com.google.api.gax.rpc.ApiException;
import com.google.cloud.firestore.FirestoreException;
import dev.leasehold.store.StoreException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A failed Firestore request, with what the caller may do next. Checked, because every caller has to decide that. */
final class Trouble extends Exception {
    private static final long serialVersionUID = 1L;

    /** What may be done. */
    enum Kind {
        /** The document is no longer what was read, or another transaction was in the way: read again. */
        CONFLICT,
        /** Nobody knows whether the request was carried out: read again. */
        UNKNOWN,
        /** The server refuses because of a quota: wait for longer, then read again. */
        BUSY,
        /** What is to be written cannot be kept: asking again will not help. */
        REFUSED,
        /** Asking again will not help until somebody changes a setting. */
        FATAL
    }

    private final Kind kind;

    private final Status.Code code;

    private Trouble(Kind kind, Status.Code code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.code = code;
    }

    Kind kind() {
        return kind;
    }

    Status.Code code() {
        return code;
    }

    /** Whether there was no answer at all, as for a write to a document that a transaction has locked. */
    boolean isSilence() {
        return code == Status.Code.DEADLINE_EXCEEDED;
    }

    static Trouble silence() {
        return new Trouble(Kind.UNKNOWN, Status.Code.DEADLINE_EXCEEDED, "no answer in time", null);
    }

    /**
     * The trouble behind what a future threw.
     *
     * @param isCommit whether the request had preconditions, which are refused by the same codes as a missing database
     * @throws StoreException if that is what was thrown, by code of ours inside a transaction
     */
    static Trouble of(Throwable thrown, boolean isCommit) {
        if (thrown instanceof StoreException ours) {
            throw ours;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        Status status = status(thrown);
        String message = Objects.requireNonNullElse(status.getDescription(), "");
        return new Trouble(kind(status.getCode(), message, isCommit), status.getCode(), message, thrown);
    }

    /** The innermost status is the server's own. The client's wrappers say that it gave up, and not why. */
    private static Status status(Throwable thrown) {
        Status found = null;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            String message = String.valueOf(at.getMessage());
            if (at instanceof InterruptedException) {
                return Status.CANCELLED.withDescription(message);
            } else if (at instanceof StatusRuntimeException grpc) {
                Status status = grpc.getStatus();
                found = status.getDescription() == null ? status.withDescription(message) : status;
            } else if (at instanceof ApiException api) {
                found = Status.Code.valueOf(api.getStatusCode().getCode().name())
                        .toStatus()
                        .withDescription(message);
            } else if (at instanceof FirestoreException firestore && firestore.getStatus() != null) {
                found = firestore.getStatus().withDescription(message);
            }
        }
        return found == null ? unsent(thrown).withDescription(String.valueOf(thrown.getMessage())) : found;
    }

    private static Status unsent(Throwable thrown) {
        if (thrown instanceof CancellationException) {
            return Status.CANCELLED;
        }
        // The client checks some values before it sends them. Anything else is an error of the client or of ours, which
        // asking again does not mend.
        return thrown instanceof IllegalArgumentException ? Status.INVALID_ARGUMENT : Status.UNIMPLEMENTED;
    }

    private static Kind kind(Status.Code code, String message, boolean isCommit) {
        return switch (code) {
            case ABORTED -> Kind.CONFLICT;
            case FAILED_PRECONDITION, ALREADY_EXISTS, NOT_FOUND -> isCommit ? Kind.CONFLICT : Kind.FATAL;
            case UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL, CANCELLED, UNKNOWN -> Kind.UNKNOWN;
            case RESOURCE_EXHAUSTED -> Kind.BUSY;
            case INVALID_ARGUMENT, OUT_OF_RANGE ->
                message.toLowerCase(Locale.ROOT).contains("transaction has expired") ? Kind.CONFLICT : Kind.REFUSED;
            default -> Kind.FATAL;
        };
    }
}
