package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("LOCK-9")
@DisplayName("Project locks: events")
class ProjectLockEventsTest extends ProjectLocksFixture {
    @Test
    @Tag("part-of:LOCK-12")
    void normalPathIsAcquiredAndReleased() {
        Lease lease = take(open());
        Instant start = now();
        time.advance(Duration.ofSeconds(3));
        lease.release();
        assertThat(told()).containsExactly("lock:acquired", "lock:released");
        assertThat(((LeaseEvent.Acquired) events.get(0)).attempt()).isEqualTo(1);
        assertSource(lease, "os-lock");
        assertThat(events).extracting(event -> event.source().at()).containsExactly(start, start.plusSeconds(3));
    }

    @Test
    void eachEventHasItsFields() {
        Instant start = now();
        Lease lease = take(openFallback());
        AtomicInteger left = new AtomicInteger(1);
        trouble = (step, path) -> {
            if (step == DiskStep.MOVE && left.getAndDecrement() > 0) {
                throw new IOException("odd");
            }
            if (step == DiskStep.DELETE && path.equals(lockFile)) {
                throw broken();
            }
        };
        time.advance(Duration.ofMillis(20_500));
        Instant until = lease.expiresAt();
        lease.release();
        assertThat(told()).containsExactly("lock:acquired", "lock:retry", "lock:renewed", "lock:cleanup-warning");
        assertSource(lease, "lock-file");
        assertThat(events)
                .extracting(
                        event -> Duration.between(start, event.source().at()).toMillis())
                .containsExactly(0L, 20_000L, 20_500L, 20_500L);
        LeaseEvent.Retry retry = (LeaseEvent.Retry) events.get(1);
        assertThat(retry.attempt()).isEqualTo(1);
        assertThat(retry.delay()).isEqualTo(Duration.ofMillis(500));
        assertThat(((LeaseEvent.Renewed) events.get(2)).expiresAt()).isEqualTo(until);
        assertThat(((LeaseEvent.CleanupWarning) events.get(3)).message()).isNotBlank();
    }

    private void assertSource(Lease lease, String backend) {
        assertSource(lease.id(), backend, Scope.AUTOSAVE);
    }

    private void assertSource(String leaseId, String backend, Scope scope) {
        assertThat(UUID.fromString(leaseId)).hasToString(leaseId);
        assertThat(events).allSatisfy(event -> {
            assertThat(event.source().leaseId()).isEqualTo(leaseId);
            assertThat(event.source().backend()).isEqualTo(backend);
            assertThat(event.source().scope()).isEqualTo(scope.key());
        });
    }

    @Test
    void acquiredSaysWhichAttemptItWas() {
        Lease holder = take(open());
        events.clear();
        Instant start = now();
        CompletableFuture<Acquisition> call = open().acquireAsync();
        time.advance(Duration.ofSeconds(1));
        holder.release();
        events.removeIf(LeaseEvent.Released.class::isInstance);
        time.advance(Duration.ofMillis(500));
        Lease lease = call.join().orElseThrow();
        assertThat(told()).containsExactly("lock:retry", "lock:retry", "lock:acquired");
        assertThat(events(LeaseEvent.Acquired.class).get(0).attempt()).isEqualTo(3);
        assertSource(lease, "os-lock");
        assertThat(events)
                .extracting(event -> event.source().at())
                .containsExactly(start, start.plusMillis(500), start.plusMillis(1_500));
    }

    static Stream<Arguments> reasons() {
        return Stream.of(
                Arguments.of(new Fault.LostRequest(), "unavailable"),
                Arguments.of(new Fault.Failure(new IllegalStateException("odd")), "transient-error"),
                Arguments.of(null, "contended"));
    }

    @ParameterizedTest(name = "lock:retry because {1}: attempts 1 to 4, then one lock:error, which is not retryable")
    @MethodSource("reasons")
    void retriesHaveTheirReason(Fault fault, String reason) {
        take(open());
        events.clear();
        Instant start = now();
        FaultyStore faulty = FaultyStore.inManualTime(store());
        if (fault != null) {
            faulty.always(Verb.ACQUIRE, fault);
        }
        CompletableFuture<Acquisition> call = open(faulty, time).acquireAsync(Scope.HISTORY, RetryPolicy.DEFAULT);
        if (fault == null) {
            call.join().orElseThrow();
            events.clear();
            call = open().acquireAsync(Scope.HISTORY, RetryPolicy.DEFAULT);
        }
        time.advance(Duration.ofSeconds(8));
        assertThat(call).isDone();
        List<LeaseEvent.Retry> retries = events(LeaseEvent.Retry.class);
        assertThat(retries).extracting(LeaseEvent.Retry::attempt).containsExactly(1, 2, 3, 4);
        assertThat(retries).allMatch(retry -> retry.reason().toString().equals(reason));
        assertSource(events.get(0).source().leaseId(), "os-lock", Scope.HISTORY);
        assertThat(events)
                .extracting(event -> event.source().at())
                .containsExactly(
                        start,
                        start.plusMillis(500),
                        start.plusMillis(1_500),
                        start.plusMillis(3_500),
                        start.plusMillis(7_500));
        assertThat(events(LeaseEvent.Failed.class))
                .singleElement()
                .satisfies(failed -> assertThat(failed.error().isRetryable()).isFalse());
    }

    @Test
    void errorsThatAreRetryableAreNotToldAsLockError() {
        Lease lease = take(openFallback());
        failWhen(DiskStep.MOVE, lockFile, broken());
        time.advance(TTL);
        failWhen(DiskStep.DELETE, lockFile, broken());
        lease.release();
        assertThat(told()).contains("lock:lost").doesNotContain("lock:error");
    }
}
