package dev.leasehold.servers.firestore;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** The errors that requests are refused with. */
final class Refusals {
    private Refusals() {}

    static StatusRuntimeException invalid(String message) {
        return Status.INVALID_ARGUMENT.withDescription(message).asRuntimeException();
    }

    static StatusRuntimeException unimplemented(String what) {
        return Status.UNIMPLEMENTED
                .withDescription(what + " is not implemented by " + FirestoreServer.LABEL)
                .asRuntimeException();
    }

    static StatusRuntimeException precondition(String message) {
        return Status.FAILED_PRECONDITION.withDescription(message).asRuntimeException();
    }

    static StatusRuntimeException contention() {
        return Status.ABORTED
                .withDescription("Too much contention on these documents. Please try again.")
                .asRuntimeException();
    }

    /** The client's transaction runner retries on the words "transaction has expired". */
    static StatusRuntimeException expired() {
        return invalid("The referenced transaction has expired or is no longer valid.");
    }
}
