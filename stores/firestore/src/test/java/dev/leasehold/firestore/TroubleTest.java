package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.cloud.firestore.FirestoreException;
import io.grpc.Status;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A failed request")
class TroubleTest {
    /** As Google's client wraps what the server answered to a transaction. */
    private static Trouble inTransaction(String wrapper, Status answer) {
        ApiException api = new ApiException(answer.asRuntimeException(), GrpcStatusCode.of(answer.getCode()), false);
        return Trouble.of(FirestoreException.forServerRejection(answer, api, wrapper), true);
    }

    @Test
    @DisplayName("that an interrupt of its caller ended is asked again")
    void isPassing() {
        assertThat(Trouble.of(new InterruptedException(), false).kind()).isEqualTo(Trouble.Kind.UNKNOWN);
    }

    @Test
    @DisplayName("is asked again if the transaction is over, because an earlier Commit whose reply was lost ended it")
    void transactionIsOver() {
        Status over = Status.INVALID_ARGUMENT.withDescription(
                "The referenced transaction has expired or is no longer valid.");
        Trouble trouble = inTransaction("Transaction was cancelled because of too many retries.", over);
        assertThat(trouble.kind()).isEqualTo(Trouble.Kind.CONFLICT);
    }

    @Test
    @DisplayName("that is refused for good says why")
    void saysWhy() {
        Status refused = Status.INVALID_ARGUMENT.withDescription("Nested arrays are not allowed");
        Trouble trouble = inTransaction("Transaction failed with non-retryable error", refused);
        assertThat(trouble.kind()).isEqualTo(Trouble.Kind.REFUSED);
        assertThat(trouble).hasMessage("Nested arrays are not allowed");
    }

    @Test
    @DisplayName("that the client did not send says what the client says")
    void unsent() {
        Trouble trouble = Trouble.of(new IllegalArgumentException("not a path"), false);
        assertThat(trouble.kind()).isEqualTo(Trouble.Kind.REFUSED);
        assertThat(trouble).hasMessage("not a path");
    }
}
