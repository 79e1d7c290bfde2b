package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.LogLines;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A client that tells listeners first")
class ListenersFirstTest {
    private static final Duration STEP = Duration.ofMillis(100);

    private final ManualTime time = new ManualTime();
    private final FailingClockwork clockwork = new FailingClockwork(time);
    private final FaultyStore store = FaultyStore.inManualTime(new MemoryLeaseStore(time.storeClock()));
    private final Leases leases = Leases.builder(store)
            .clockwork(clockwork)
            .withoutLog()
            .listenersFirst()
            .build();
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    @AfterEach
    void close() {
        clockwork.acceptCallbacks();
        clockwork.runCallbacks();
        store.heal();
        time.advance(TTL);
        leases.close();
    }

    private Lease acquire() {
        return leases.tryAcquire(KEY, LeaseOptions.noWait().withTtl(TTL)).orElseThrow();
    }

    @Test
    @DisplayName(
            "says of a release what it found out first, although a later try is over before the listener has heard")
    void failedReleaseStaysUnknown() {
        leases.onEvent(event -> told.add(event.type()));
        Lease lease = acquire();
        store.always(Verb.RELEASE, new Fault.LostRequest());
        clockwork.holdCallbacks();
        CompletableFuture<ReleaseOutcome> outcome = lease.releaseAsync();
        time.advance(LeaseOptions.DEFAULT_TTL);
        assertThat(outcome).isNotDone();
        clockwork.runCallbacks();
        assertThat(outcome).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
        assertThat(told).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("says of a second release that the first is unknown, until the store has confirmed it")
    void secondReleaseKnowsNoMoreThanTheFirst() {
        Lease lease = acquire();
        store.always(Verb.RELEASE, new Fault.LostRequest());
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        store.heal();
        time.advance(LeaseOptions.DEFAULT_TTL);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** Lets time pass until the call returns, from when it found no thread for its listeners; says how much. */
    private Duration timeUntilDone(CompletableFuture<?> call) throws InterruptedException {
        while (clockwork.refusals() == 0) {
            Thread.sleep(1);
        }
        Duration passed = Duration.ZERO;
        while (!isDoneSoon(call) && passed.compareTo(TTL) < 0) {
            time.advance(STEP);
            passed = passed.plus(STEP);
        }
        return passed;
    }

    private static boolean isDoneSoon(CompletableFuture<?> call) throws InterruptedException {
        for (int i = 0; i < 50 && !call.isDone(); i++) {
            Thread.sleep(1);
        }
        return call.isDone();
    }

    private void assertHeardBeforeTheCallReturns(Consumer<Lease> call, String event) throws InterruptedException {
        Lease lease = acquire();
        clockwork.holdCallbacks();
        told.clear();
        CompletableFuture<Void> returned = CompletableFuture.runAsync(() -> {
            try {
                call.accept(lease);
            } catch (LeaseLostException e) {
                told.add("thrown");
            }
        });
        while (!lease.state().isFinal()) {
            Thread.sleep(1);
        }
        assertThat(isDoneSoon(returned)).isFalse();
        assertThat(told).isEmpty();
        clockwork.runCallbacks();
        assertThat(returned).succeedsWithin(Duration.ofSeconds(10));
        assertThat(told).startsWith(event);
        time.advance(TTL);
    }

    @Test
    @Timeout(60)
    @DisplayName("tells them before a call returns that ends the lease by itself, or finds out that it has ended")
    void endsWithoutTheStore() throws InterruptedException {
        leases.onEvent(event -> told.add(event.type()));
        assertHeardBeforeTheCallReturns(lease -> lease.abandon("as the test wants"), "lock:lost");
        assertHeardBeforeTheCallReturns(Lease::settledElsewhere, "lock:settled");
        assertHeardBeforeTheCallReturns(
                lease -> {
                    time.pause(TTL);
                    lease.ensure();
                },
                "lock:lost");
        assertHeardBeforeTheCallReturns(
                lease -> {
                    time.pause(TTL);
                    lease.startUse();
                },
                "lock:lost");
    }

    @Test
    @DisplayName("needs no other thread for a call if nobody listens")
    void nobodyListens() {
        clockwork.refuseCallbacks();
        CompletableFuture<ReleaseOutcome> call =
                CompletableFuture.supplyAsync(() -> acquire().release());
        assertThat(call).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(clockwork.refusals()).isZero();
    }

    @Test
    @Timeout(60)
    @DisplayName("lets a call return after a second if all threads for callbacks are busy, and tells its events later")
    void allThreadsAreBusy() throws InterruptedException {
        leases.onEvent(event -> told.add(event.type()));
        clockwork.refuseCallbacks();
        CompletableFuture<Lease> call = CompletableFuture.supplyAsync(this::acquire);
        assertThat(timeUntilDone(call)).isBetween(Duration.ofMillis(900), Duration.ofMillis(1_200));
        assertThat(told).isEmpty();
        clockwork.acceptCallbacks();
        time.advance(Duration.ofSeconds(1));
        assertThat(told).containsExactly("lock:acquired");
        assertThat(call.join().isValid()).isTrue();
    }

    @Test
    @DisplayName(
            "says once that all threads for callbacks are busy, however long they are, and once more the next time")
    void busyThreadsAreSaidOnce() {
        leases.onEvent(event -> told.add(event.type()));
        Lease lease = acquire();
        try (LogLines log = LogLines.of("dev.leasehold")) {
            for (int i = 1; i <= 2; i++) {
                clockwork.refuseCallbacks();
                time.advance(Duration.ofMinutes(1));
                assertThat(clockwork.keeperFailures()).isEmpty();
                assertThat(log.lines()).hasSize(i).allMatch(line -> line.contains("busy"));
                clockwork.acceptCallbacks();
                time.advance(Duration.ofMinutes(1));
            }
        }
        assertThat(lease.isValid()).isTrue();
    }
}
