package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("LOCK-3")
@DisplayName("Project locks: cancellation, and the limit of an attempt")
class ProjectLockCancellationTest extends ProjectLocksFixture {
    @ParameterizedTest(name = "cancelled {0} ms after the call, in the middle of a back-off")
    @ValueSource(ints = {0, 1, 499, 500, 700, 2_000, 3_500, 7_499})
    void waitingIsCancelledAtAnyMoment(int millis) {
        Lease holder = take(open());
        events.clear();
        CompletableFuture<Acquisition> call = open().acquireAsync();
        time.advance(Duration.ofMillis(millis));
        int before = events.size();
        call.cancel(true);
        holder.release();
        time.advance(Duration.ofMinutes(2));
        assertThat(told().subList(before, events.size())).containsExactly("lock:released");
        take(open());
    }

    @Test
    void attemptWithoutAnAnswerIsCancelled() {
        FaultyStore silent = FaultyStore.inManualTime(store());
        silent.always(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = open(silent, time).acquireAsync();
        time.advance(Duration.ofSeconds(3));
        call.cancel(true);
        time.advance(Duration.ofMinutes(2));
        assertThat(told()).isEmpty();
        take(open());
    }

    @Test
    @Timeout(30)
    void threadThatWaitsIsInterrupted() throws Exception {
        Lease holder = take(open());
        ProjectLocks real = ProjectLocks.on(store());
        opened.add(real);
        CountDownLatch isInBackOff = new CountDownLatch(1);
        real.onEvent(event -> isInBackOff.countDown());
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                ended.complete(new AssertionError("not interrupted: " + real.acquire()));
            } catch (InterruptedException e) {
                ended.complete(e);
            }
        });
        waiter.start();
        isInBackOff.await();
        waiter.interrupt();
        assertThat(ended.get()).isInstanceOf(InterruptedException.class);
        holder.release();
        take(open());
    }

    @Test
    void attemptOfThePrimaryEndsAfterTenSeconds() {
        FaultyStore silent = FaultyStore.inManualTime(store());
        silent.next(Verb.ACQUIRE, new Fault.NoReply());
        CompletableFuture<Acquisition> call = open(silent, time).acquireAsync();
        time.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(told()).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(events(LeaseEvent.Retry.class))
                .singleElement()
                .satisfies(retry -> assertThat(retry.reason()).isEqualTo(LeaseEvent.Reason.CONTENDED));
        time.advance(Duration.ofMillis(500));
        assertThat(call.join().orElseThrow().backend()).isEqualTo("os-lock");
    }
}
