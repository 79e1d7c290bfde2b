package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseException.Code;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.store.Payload;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every code of an error, where it comes from, whether trying again helps, and what caused it. */
class ErrorsTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("web-lock-unsupported: the store cannot work here; not retryable, not tried again")
    void unsupported() {
        StoreUnsupportedException cause = new StoreUnsupportedException("no locks on this file system");
        ann.store.next(Verb.ACQUIRE, new Fault.Failure(cause));
        LeaseException error = errorOf(ann.leases.acquireAsync(KEY, LeaseOptions.defaults()));
        assertThat(error.code()).isEqualTo(Code.UNSUPPORTED).hasToString("web-lock-unsupported");
        assertThat(error.isRetryable()).isFalse();
        assertThat(error).hasCause(cause).hasMessageContaining("report");
        assertThat(ann.store.calls(Verb.ACQUIRE)).isEqualTo(1);
        assertThat(lastTold(ann)).isSameAs(error);
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName(
            "lock-timeout: no answer to one attempt; retryable, and the cause of the lock-unavailable that ends the call")
    void timeout() {
        ann.store.always(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = ann.await(KEY, Duration.ofSeconds(1));
        bench.advanceSeconds(10);
        LeaseException error = errorOf(call);
        assertThat(error.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(error.isRetryable()).isFalse();
        assertThat(error.getCause()).isInstanceOfSatisfying(LeaseException.class, cause -> {
            assertThat(cause.code()).isEqualTo(Code.TIMEOUT).hasToString("lock-timeout");
            assertThat(cause.isRetryable()).isTrue();
            assertThat(cause).hasNoCause().hasMessageContaining("report");
        });
        assertThat(lastTold(ann)).isSameAs(error);
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("lock-unavailable: somebody else has it through all attempts; not retryable")
    void contended() {
        bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.defaults());
        bench.advanceSeconds(8);
        LeaseException error =
                catchThrowableOfType(LeaseException.class, () -> call.join().orElseThrow());
        assertThat(error.code()).isEqualTo(Code.UNAVAILABLE).hasToString("lock-unavailable");
        assertThat(error.isRetryable()).isFalse();
        assertThat(error).hasMessageContaining("held by bob");
        assertThat(error.getCause()).hasMessageContaining("held by bob");
        assertThat(lastTold(ann).code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(lastTold(ann).getCause()).hasMessageContaining("held by bob");
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("lock-unavailable: the store is down through all attempts; the last failure is the cause")
    void storeDown() {
        ann.store.cutOff();
        CompletableFuture<Acquisition> call = ann.leases.acquireAsync(KEY, LeaseOptions.defaults());
        bench.advanceSeconds(8);
        LeaseException error = errorOf(call);
        assertThat(error.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(error).hasCauseInstanceOf(StoreUnavailableException.class).hasMessageContaining("attempt 5");
        assertThat(lastTold(ann)).isSameAs(error);
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("lock-unavailable: the store is broken, and says at once that asking again is of no use")
    void storeBroken() {
        StoreException cause = new StoreException("the table is missing");
        ann.store.always(Verb.ACQUIRE, new Fault.Failure(cause));
        LeaseException error = errorOf(ann.await(KEY, Duration.ofHours(1)));
        assertThat(error.code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(error).hasCause(cause);
    }

    @Test
    @DisplayName("lock-release-failed: the lease could not be given back; retryable, with the cause")
    void releaseFailed() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        lease.release();
        LeaseException error =
                ann.events(LeaseEvent.CleanupWarning.class).get(0).error();
        assertThat(error.code()).isEqualTo(Code.RELEASE_FAILED).hasToString("lock-release-failed");
        assertThat(error.isRetryable()).isTrue();
        assertThat(error).hasCauseInstanceOf(StoreUnavailableException.class);
        assertThat(error.key()).isEqualTo(KEY);
    }

    @Test
    @DisplayName("A run whose answer could not be recorded throws what the store threw: nobody knows whether it was")
    void settleUnknown() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.SETTLE, new Fault.LostReply());
        assertThatThrownBy(() -> lease.checkpoint(Payload.of(new byte[] {1})))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(ann.store.calls(Verb.SETTLE)).isEqualTo(3);
        bench.advance(TTL);
        assertThat(lease.isValid()).isTrue();
    }

    private static LeaseException errorOf(CompletableFuture<Acquisition> call) {
        CompletionException wrapped = catchThrowableOfType(CompletionException.class, call::join);
        return (LeaseException) wrapped.getCause();
    }

    private static LeaseException lastTold(Bench.Client client) {
        return client.events(LeaseEvent.Failed.class)
                .get(client.events(LeaseEvent.Failed.class).size() - 1)
                .error();
    }
}
