package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Acquisition.Refused;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException.Code;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.tck.ForwardingClockwork;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("LOCK-2")
@DisplayName("Project locks: the retry policy")
class ProjectLockRetryTest extends ProjectLocksFixture {
    static Stream<Arguments> subsets() {
        RetryPolicy usual = RetryPolicy.DEFAULT;
        return Stream.of(
                Arguments.of(usual, List.of(500L, 1_000L, 2_000L, 4_000L)),
                Arguments.of(usual.withInitialDelay(Duration.ofMillis(100)), List.of(100L, 200L, 400L, 800L)),
                Arguments.of(usual.withMultiplier(1), List.of(500L, 500L, 500L, 500L)),
                Arguments.of(usual.withMaxDelay(Duration.ofSeconds(1)), List.of(500L, 1_000L, 1_000L, 1_000L)),
                Arguments.of(usual.withMaxDelay(Duration.ofMillis(100)), List.of(100L, 100L, 100L, 100L)),
                Arguments.of(usual.withMaxAttempts(2), List.of(500L)),
                Arguments.of(usual.withMaxAttempts(1), List.of()),
                Arguments.of(usual.withMultiplier(3).withMaxAttempts(3), List.of(500L, 1_500L)),
                Arguments.of(
                        usual.withInitialDelay(Duration.ofSeconds(9)).withMaxAttempts(6),
                        List.of(4_000L, 4_000L, 4_000L, 4_000L, 4_000L)));
    }

    @ParameterizedTest(name = "{0}: tried again after {1} ms, then lock-unavailable, which is not retryable")
    @MethodSource("subsets")
    void contendedLockIsTriedAgainAsThePolicySays(RetryPolicy policy, List<Long> delays) {
        take(open());
        events.clear();
        CompletableFuture<Acquisition> call = open().acquireAsync(Scope.AUTOSAVE, policy);
        long all = delays.stream().mapToLong(Long::longValue).sum();
        time.advance(Duration.ofMillis(all).minusNanos(1));
        assertThat(call.isDone()).isEqualTo(delays.isEmpty());
        time.advance(Duration.ofNanos(1));
        assertThat(delays()).isEqualTo(delays);
        assertThat(call).isCompletedWithValueMatching(Refused.class::isInstance);
        assertUnavailable();
    }

    private void assertUnavailable() {
        assertThat(told().get(told().size() - 1)).isEqualTo("lock:error");
        assertThat(events(LeaseEvent.Failed.class)).singleElement().satisfies(failed -> {
            assertThat(failed.error().code()).isEqualTo(Code.UNAVAILABLE);
            assertThat(failed.error().isRetryable()).isFalse();
        });
    }

    @Test
    @Tag("part-of:LOCK-4")
    @Timeout(30)
    void fileSystemThatHangsEndsInUnavailableAfterFiveAttempts() throws Exception {
        CountDownLatch healed = new CountDownLatch(1);
        trouble = (step, path) -> {
            if (step == DiskStep.LOCK) {
                awaitQuietly(healed);
            }
        };
        CompletableFuture<Acquisition> call =
                open(store(), new RealCalls(time)).acquireAsync(Scope.AUTOSAVE, RetryPolicy.DEFAULT);
        time.advance(Duration.ofMillis(57_500).minusNanos(1));
        assertThat(call).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertThat(errorOf(call).code()).isEqualTo(Code.UNAVAILABLE);
        assertThat(delays()).containsExactly(500L, 1_000L, 2_000L, 4_000L);
        assertThat(events(LeaseEvent.Retry.class))
                .extracting(LeaseEvent.Retry::reason)
                .as("a time-out of an attempt counts as contention")
                .containsOnly(LeaseEvent.Reason.CONTENDED);
        assertUnavailable();

        healed.countDown();
        ProjectLocks other = open();
        while (isRefused(other, Scope.AUTOSAVE)) {
            Thread.onSpinWait(); // Until what was granted too late has been given back.
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Time that is moved by hand, with calls of the store on threads of their own, as they are in life. */
    private static final class RealCalls extends ForwardingClockwork {
        RealCalls(ManualTime time) {
            super(time);
        }

        @Override
        public <T> void call(Supplier<T> verb, Reply<T> reply) {
            Thread thread = new Thread(() -> super.call(verb, reply));
            thread.setDaemon(true);
            thread.start();
        }
    }
}
