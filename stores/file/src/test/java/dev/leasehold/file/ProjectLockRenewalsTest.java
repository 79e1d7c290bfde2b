package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseException.Code;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("part-of:LOCK-6")
@DisplayName("Project locks: renewals that fail")
class ProjectLockRenewalsTest extends ProjectLocksFixture {
    @ParameterizedTest(name = "{0} failures for a passing reason, and one renewal gets through")
    @ValueSource(ints = {1, 4})
    void passingFailureIsTriedAgain(int failures) {
        Lease lease = take(openFallback());
        events.clear();
        AtomicInteger left = new AtomicInteger(failures);
        trouble = (step, path) -> {
            if (step == DiskStep.MOVE && left.getAndDecrement() > 0) {
                throw broken();
            }
        };
        time.advance(Duration.ofMillis(27_500));
        assertThat(delays()).isEqualTo(List.of(500L, 1_000L, 2_000L, 4_000L).subList(0, failures));
        assertThat(told()).doesNotContain("lock:lost", "lock:error").endsWith("lock:renewed");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void fifthFailureInARowLosesTheLockAndItCanBeAcquiredAgain() {
        ProjectLocks locks = openFallback();
        Lease lease = take(locks);
        events.clear();
        failWhen(DiskStep.MOVE, lockFile, broken());
        time.advance(Duration.ofMillis(27_500).minusNanos(1_000));
        assertThat(lease.isValid()).isTrue();
        time.advance(Duration.ofNanos(1_000));
        assertThat(told())
                .filteredOn(type -> !type.equals("lock:at-risk"))
                .containsExactly("lock:retry", "lock:retry", "lock:retry", "lock:retry", "lock:lost");
        assertThat(delays()).containsExactly(500L, 1_000L, 2_000L, 4_000L);
        assertThat(events(LeaseEvent.Lost.class).get(0).error()).satisfies(error -> {
            assertThat(error.code()).isEqualTo(Code.RENEWAL_FAILED);
            assertThat(error.isRetryable()).isTrue();
            assertThat(error).hasCauseInstanceOf(StoreUnavailableException.class);
        });
        assertThatThrownBy(lease::ensure)
                .isInstanceOfSatisfying(
                        LeaseException.class, error -> assertThat(error.code()).isEqualTo(Code.RENEWAL_FAILED));
        trouble = Disk.Probe.NONE;
        lease.release();
        assertThat(take(locks).isValid()).isTrue();
    }

    @Test
    void failuresOfThePrimaryWithAnswersBetweenThemAreNotInARow() {
        Lease lease = take(open());
        for (int i = 0; i < 6; i++) {
            failWhen(DiskStep.READ, project.resolve(".os-lock"), broken());
            assertThatThrownBy(lease::renew).isInstanceOf(LeaseException.class);
            trouble = Disk.Probe.NONE;
            time.advance(Duration.ofSeconds(5));
            lease.renew();
        }
        assertThat(lease.isValid()).isTrue();
        assertThat(delays()).containsOnly(500L);
    }

    @Test
    void delaysDoNotFollowThePolicyOfTheAcquire() {
        RetryPolicy own =
                RetryPolicy.DEFAULT.withInitialDelay(Duration.ofMillis(1)).withMaxAttempts(2);
        assertThat(openFallback().acquireAsync(Scope.AUTOSAVE, own)).isCompleted();
        failWhen(DiskStep.MOVE, lockFile, broken());
        time.advance(Duration.ofMillis(27_500));
        assertThat(delays()).containsExactly(500L, 1_000L, 2_000L, 4_000L);
    }

    @Test
    void failureThatCannotPassIsNotTriedAgain() {
        Lease lease = take(openFallback());
        events.clear();
        AtomicInteger tries = new AtomicInteger();
        trouble = (step, path) -> {
            if (step == DiskStep.MOVE) {
                tries.incrementAndGet();
                throw new AccessDeniedException(path.toString());
            }
        };
        time.advance(Duration.ofSeconds(20));
        assertThat(told()).containsExactly("lock:lost", "lock:error");
        assertThat(events(LeaseEvent.Failed.class).get(0).error()).satisfies(error -> {
            assertThat(error.code()).isEqualTo(Code.RENEWAL_FAILED);
            assertThat(error.isRetryable()).isFalse();
            assertThat(error).hasCauseInstanceOf(StoreException.class);
        });
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        time.advance(Duration.ofMinutes(5));
        assertThat(tries).hasValue(1);
    }
}
