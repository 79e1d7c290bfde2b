package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Acquisition.Refused;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException.Code;
import dev.leasehold.tck.process.ChildJvm;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("part-of:LOCK-4")
@DisplayName("Project locks: two backends")
class ProjectLockBackendsTest extends ProjectLocksFixture {
    @Test
    void primaryNeverExpiresAndIsFreedBySystemWhenItsProcessDies() throws Exception {
        try (ChildJvm holder = ChildJvm.start(ProjectProcess.class, project, true)) {
            assertThat(holder.line()).isEqualTo("os-lock");
            time.advance(Duration.ofDays(3));
            assertThat(isRefused(open(), Scope.AUTOSAVE)).isTrue();
            holder.kill();
            assertThat(take(open()).backend()).isEqualTo("os-lock");
        }
    }

    @ParameterizedTest(name = "{0}: the fallback has the lock at once, at the first attempt, for 30 s")
    @ValueSource(strings = {"Operation not permitted", "Operation not supported", "No locks available"})
    void unsupportedGoesToTheFallbackAtOnce(String why) {
        trouble = (step, path) -> {
            if (step == DiskStep.LOCK) {
                throw new FileSystemException(path.toString(), null, why);
            }
        };
        Lease lease = take(open());
        assertThat(lease.backend()).isEqualTo("lock-file");
        assertThat(lockFile).exists();
        assertThat(expiryInFile()).isEqualTo(now().plus(TTL));
        assertThat(events).singleElement().isInstanceOfSatisfying(LeaseEvent.Acquired.class, acquired -> {
            assertThat(acquired.attempt()).isEqualTo(1);
            assertThat(acquired.source().backend()).isEqualTo("lock-file");
        });
    }

    @Test
    void contendedPrimaryIsAskedAgainAndTheFallbackNever() {
        take(open());
        events.clear();
        CompletableFuture<Acquisition> call = open().acquireAsync();
        time.advance(Duration.ofMillis(7_500));
        assertThat(call).isCompletedWithValueMatching(Refused.class::isInstance);
        assertBackedOff("os-lock");
        assertThat(lockFile).doesNotExist();
    }

    @Test
    @Tag("part-of:LOCK-12")
    void contendedLockFileGoesThroughTheBackOffToTheFinalError() {
        take(openFallback());
        events.clear();
        CompletableFuture<Acquisition> call = open().acquireAsync();
        time.advance(Duration.ofMillis(7_500));
        assertThat(call).isCompletedWithValueMatching(Refused.class::isInstance);
        assertBackedOff("lock-file");
    }

    private void assertBackedOff(String backend) {
        assertThat(told()).containsExactly("lock:retry", "lock:retry", "lock:retry", "lock:retry", "lock:error");
        assertThat(delays()).containsExactly(500L, 1_000L, 2_000L, 4_000L);
        assertThat(events(LeaseEvent.Retry.class)).allMatch(retry -> retry.reason() == LeaseEvent.Reason.CONTENDED);
        assertThat(events).allMatch(event -> event.source().backend().equals(backend));
        assertThat(events(LeaseEvent.Failed.class).get(0).error().code()).isEqualTo(Code.UNAVAILABLE);
    }
}
