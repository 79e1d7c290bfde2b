package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Callers wait in line, give up, and are handed what they wait for. */
abstract class LeasesContractWaiting extends LeasesContractHolding {
    private static final int WAITERS = 32;

    @Test
    @DisplayName("W01 Waiting ends when it should, and not before")
    final void waitingEndsInTime() throws InterruptedException {
        Lease lease = acquire(ann, key());
        Duration patience = Duration.ofMillis(300);
        long start = System.nanoTime();
        Acquisition acquisition = bob.acquire(lease.key(), inLine(patience));
        Duration waited = Duration.ofNanos(System.nanoTime() - start);
        assertThat(refused(acquisition).key()).isEqualTo(lease.key());
        assertThat(waited).isBetween(patience, patience.plusSeconds(3));
    }

    @Test
    @DisplayName("W02 An interrupted waiter is told by an exception and leaves nothing behind")
    final void interruptEndsWaiting() throws Exception {
        Lease lease = acquire(ann, key());
        CompletableFuture<Boolean> flagAfterwards = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                bob.acquire(lease.key(), inLine(PATIENCE));
            } catch (InterruptedException e) {
                flagAfterwards.complete(Thread.currentThread().isInterrupted());
            }
        });
        waiter.start();
        Threads.eventually("in line", () -> hasLine(lease.key()));
        waiter.interrupt();
        assertThat(flagAfterwards.get(10, TimeUnit.SECONDS))
                .as("interrupt flag")
                .isFalse();
        Threads.eventually("out of line", () -> !hasLine(lease.key()));
        lease.release();
        assertThat(isHeld(lease.key())).isFalse();
    }

    @Test
    @DisplayName("W02 A thread that is interrupted already does not begin to wait")
    final void interruptedThreadDoesNotBegin() {
        Key key = key();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> bob.acquire(key, inLine(PATIENCE))).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(isHeld(key)).isFalse();
    }

    @Test
    @DisplayName("W03 A call that is cancelled while its request is under way gives back a late grant")
    final void cancelledCallGivesBack() {
        Key key = key();
        FaultyStore faulty = FaultyStore.inRealTime(store);
        faulty.next(FaultyStore.Verb.ACQUIRE, new FaultyStore.Fault.SlowReply(Duration.ofMillis(200)));
        CompletableFuture<Acquisition> call = client(faulty).acquireAsync(key, noWait());
        Threads.eventually("granted", () -> isHeld(key));
        assertThat(call.cancel(true)).isTrue();
        Threads.eventually("given back", () -> !isHeld(key));
        Threads.pause(Duration.ofMillis(300));
        assertThat(isHeld(key)).as("held after the late reply").isFalse();
    }

    @Test
    @DisplayName("W05 A waiter whom nobody wakes finds the key free by itself")
    final void lostWakeUpCostsOnlyTime() throws Exception {
        Lease lease = acquire(ann, key());
        FaultyStore deaf = FaultyStore.inRealTime(another());
        deaf.mute();
        CompletableFuture<Acquisition> call = client(deaf).acquireAsync(lease.key(), inLine(PATIENCE));
        Threads.eventually("in line", () -> hasLine(lease.key()));
        lease.release();
        assertThat(call.get(10, TimeUnit.SECONDS).orElseThrow().isValid()).isTrue();
    }

    @Test
    @DisplayName("W08 Closing the client ends all waiting at once")
    final void closingEndsWaiting() throws Exception {
        Lease lease = acquire(ann, key());
        Leases closing = client(another());
        List<CompletableFuture<Acquisition>> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            calls.add(closing.acquireAsync(lease.key(), inLine(Duration.ofMinutes(10))));
        }
        Threads.eventually("in line", () -> hasLine(lease.key()));
        closing.close();
        for (CompletableFuture<Acquisition> call : calls) {
            assertThatThrownBy(() -> call.get(1, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(LeaseException.class)
                    .hasMessageContaining("closed");
        }
        Threads.eventually("out of line", () -> !hasLine(lease.key()));
    }

    @Test
    @DisplayName("G6 A lease is handed from one client to the next in line when it is released")
    final void leaseIsHandedOver() throws Exception {
        Lease lease = acquire(ann, key());
        CompletableFuture<Acquisition> call = bob.acquireAsync(lease.key(), inLine(PATIENCE));
        Threads.eventually("in line", () -> hasLine(lease.key()));
        lease.release();
        Lease next = call.get(10, TimeUnit.SECONDS).orElseThrow();
        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(next.renew()).isAfter(next.acquiredAt());
        assertThat(next.remaining()).isGreaterThan(Duration.ofSeconds(20));
        assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    @DisplayName("W06 Every one of 32 waiters of two clients gets its turn, one at a time")
    final void everyWaiterGetsATurn() throws Exception {
        Key key = key();
        AtomicInteger inside = new AtomicInteger();
        Queue<Long> fences = new ConcurrentLinkedQueue<>();
        Race.of(
                WAITERS,
                racer -> () -> (racer % 2 == 0 ? ann : bob).with(key, inLine(PATIENCE.multipliedBy(3)), lease -> {
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    fences.add(lease.fence().value());
                    inside.decrementAndGet();
                    return true;
                }));
        assertThat(List.copyOf(fences)).hasSize(WAITERS).isSorted().doesNotHaveDuplicates();
        assertThat(isHeld(key)).isFalse();
    }

    private boolean hasLine(Key key) {
        return store.find(key).map(found -> !found.record().line().isEmpty()).orElse(false);
    }
}
