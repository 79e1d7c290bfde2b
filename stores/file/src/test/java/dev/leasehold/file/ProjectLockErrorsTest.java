package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("part-of:LOCK-8")
@DisplayName("Project locks: errors")
class ProjectLockErrorsTest extends ProjectLocksFixture {
    @Test
    void unsupported() {
        hasNoLocks = true;
        trouble = (step, path) -> {
            if (step == DiskStep.LINK && path.equals(lockFile)) {
                throw new FileSystemException(path.toString(), null, "Operation not supported");
            }
        };
        LeaseException error = errorOf(open().acquireAsync());
        assertError(error, "web-lock-unsupported", false, StoreUnsupportedException.class);
        assertThat(told()).containsExactly("lock:error");
    }

    @Test
    void timeoutIsTheCauseOfUnavailable() {
        FaultyStore silent = FaultyStore.inManualTime(store());
        silent.always(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = open(silent, time).acquireAsync();
        time.advance(Duration.ofMinutes(1));
        LeaseException error = errorOf(call);
        assertError(error, "lock-unavailable", false, LeaseException.class);
        LeaseException cause = (LeaseException) Objects.requireNonNull(error.getCause());
        assertThat(cause.code()).hasToString("lock-timeout");
        assertThat(cause.isRetryable()).isTrue();
    }

    @Test
    void unavailable() {
        trouble = (step, path) -> {
            throw broken();
        };
        CompletableFuture<Acquisition> call = open().acquireAsync();
        time.advance(Duration.ofSeconds(8));
        assertError(errorOf(call), "lock-unavailable", false, StoreUnavailableException.class);
    }

    @Test
    void contended() {
        Lease holder = take(open());
        CompletableFuture<String> call = open().withAsync(lease -> CompletableFuture.completedFuture("saved"));
        time.advance(Duration.ofSeconds(8));
        List<LeaseException> errors =
                List.of(errorOf(call), events(LeaseEvent.Failed.class).get(0).error());
        for (LeaseException error : errors) {
            assertError(error, "lock-unavailable", false, IllegalStateException.class);
            assertThat(error.getCause())
                    .hasMessageContaining("held by " + holder.owner().label());
        }
    }

    @Test
    void renewalFailed() {
        take(openFallback());
        failWhen(DiskStep.MOVE, lockFile, broken());
        time.advance(TTL);
        LeaseException passing = events(LeaseEvent.Lost.class).get(0).error();
        assertError(passing, "lock-renewal-failed", true, StoreUnavailableException.class);
        time.advance(TTL);
        trouble = Disk.Probe.NONE;
        events.clear();
        take(open());
        failWhen(DiskStep.MOVE, lockFile, new AccessDeniedException("disk"));
        time.advance(TTL);
        LeaseException lasting = events(LeaseEvent.Failed.class).get(0).error();
        assertError(lasting, "lock-renewal-failed", false, StoreException.class);
    }

    @Test
    void releaseFailed() {
        Lease lease = take(openFallback());
        failWhen(DiskStep.DELETE, lockFile, broken());
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        LeaseException error = events(LeaseEvent.CleanupWarning.class).get(0).error();
        assertError(error, "lock-release-failed", true, StoreUnavailableException.class);
    }

    private void assertError(LeaseException error, String code, boolean isRetryable, Class<? extends Throwable> cause) {
        assertThat(error.code()).hasToString(code);
        assertThat(error.isRetryable()).isEqualTo(isRetryable);
        assertThat(error).hasCauseInstanceOf(cause);
        assertThat(error.key()).isEqualTo(Scope.AUTOSAVE.key());
    }
}
