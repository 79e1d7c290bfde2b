package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Subscription;
import dev.leasehold.store.WakeUp;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiter that was handed a lease is valid no longer than the store keeps the others out, whatever the clocks do. */
class HandOverTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration STEP = Duration.ofMillis(4_500);

    private final Bench bench = new Bench();
    private final LateWakeUps wakeUps = new LateWakeUps(bench.memory);
    private final Bench.Client ann = bench.client("ann", bench.time, wakeUps);
    private final Bench.Client bob = bench.client("bob");
    private final Bench.Client cat = bench.client("cat");

    @AfterEach
    void close() {
        bench.close();
    }

    @ParameterizedTest(name = "C02 The store''s clock set by {0} ms during the wait does not lengthen the lease")
    @ValueSource(longs = {4_500, -4_500, 0})
    void storeClockStepsDuringTheWait(long millis) {
        Lease held = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        bench.advanceSeconds(1);
        bench.time.shiftStoreClock(Duration.ofMillis(millis));
        ann.store.always(Verb.RENEW, new Fault.NoReply());
        int asked = ann.store.calls(Verb.ACQUIRE);

        held.release();

        Lease lease = call.join().orElseThrow();
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.store.calls(Verb.ACQUIRE))
                .as("requests after the wake-up")
                .isEqualTo(asked);
        while (!(cat.tryAcquire(KEY) instanceof Acquisition.Acquired)) {
            bench.advance(Duration.ofMillis(10));
        }
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @DisplayName("W05 A lease that was handed over is renewed by hand-over time, and brief work pays for no renewal")
    void briefWorkCostsNoRenewal() {
        Lease held = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        bench.advanceSeconds(20.3);
        held.release();
        Lease lease = call.join().orElseThrow();
        bench.advance(Duration.ofMillis(100));
        assertThat(ann.store.calls(Verb.RENEW)).isZero();
        bench.advance(LONG);
        assertThat(lease.isValid()).isTrue();
        assertThat(ann.told(lease)).doesNotContain("lock:at-risk");
    }

    @Test
    @DisplayName("C02 A wake-up that is late, after the store's clock was set forward, makes no second holder")
    void lateWakeUpAfterAStep() {
        Lease held = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        bench.advanceSeconds(1);
        bench.time.shiftStoreClock(STEP);
        wakeUps.areLate = true;
        held.release();
        bench.time.pause(Duration.ofSeconds(3));
        Lease successor = cat.acquire(KEY);

        wakeUps.deliver();

        assertThat(call).isNotDone();
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @DisplayName("W05 A wake-up that comes after its waiter has found the next holder makes no second holder")
    void wakeUpOfAnEarlierGrant() {
        Lease held = bob.acquire(KEY);
        CompletableFuture<Acquisition> call = ann.await(KEY, LONG);
        bench.advanceSeconds(1);
        wakeUps.areLate = true;
        held.release();
        bench.time.pause(Duration.ofSeconds(3));
        Lease successor = cat.acquire(KEY);
        int asked = ann.store.calls(Verb.ACQUIRE);
        bench.advance(Duration.ZERO);
        assertThat(ann.store.calls(Verb.ACQUIRE)).isGreaterThan(asked);

        wakeUps.deliver();

        assertThat(call).isNotDone();
        assertThat(successor.isValid()).isTrue();
    }

    /** A store whose wake-ups come when the test lets them. */
    private static final class LateWakeUps extends ForwardingStore {
        private final List<Runnable> late = new ArrayList<>();
        private boolean areLate;

        LateWakeUps(LeaseStore store) {
            super(store);
        }

        @Override
        public Optional<Subscription> onWakeUp(Consumer<WakeUp> listener) {
            return super.onWakeUp(wakeUp -> {
                if (areLate) {
                    late.add(() -> listener.accept(wakeUp));
                } else {
                    listener.accept(wakeUp);
                }
            });
        }

        private void deliver() {
            areLate = false;
            assertThat(late).isNotEmpty();
            late.forEach(Runnable::run);
        }
    }
}
