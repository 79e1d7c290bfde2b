package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Once;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of callers, work and leases when their client is closed. */
class ClosingTest {
    private static final LeaseOptions RUN = LeaseOptions.noWait().withTtl(TTL).forRun();
    private static final Settlement DONE = Settlement.done(null, Duration.ofHours(1));

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName(
            "L09 A settlement that is to be tried again is tried and ends although the client was closed meanwhile")
    void retriedSettlementEnds() {
        Lease lease = ann.acquire(KEY, RUN);
        Subscription use = lease.startUse();
        ann.store.always(Verb.SETTLE, new Fault.LostRequest());
        CompletableFuture<SettleResult> settled = lease.settleAsync(DONE);
        assertThat(ann.store.calls(Verb.SETTLE)).isEqualTo(3);

        ann.leases.close();
        bench.advance(TTL);

        assertThat(settled).isCompletedExceptionally();
        assertThat(ann.store.calls(Verb.SETTLE)).isEqualTo(4);
        use.close();
    }

    @Test
    @DisplayName("L09 The last try of a settlement counts although the client was closed meanwhile")
    void retriedSettlementCounts() {
        Lease lease = ann.acquire(KEY, RUN);
        Subscription use = lease.startUse();
        ann.store.always(Verb.SETTLE, new Fault.LostRequest());
        CompletableFuture<SettleResult> settled = lease.settleAsync(DONE);

        ann.leases.close();
        ann.store.heal();
        bench.advance(TTL.dividedBy(6));

        assertThat(settled).isCompletedWithValue(SettleResult.SETTLED);
        use.close();
    }

    @Test
    @DisplayName("L09 A settlement that is begun after the client was closed ends although the store does not answer")
    void settlementAfterwardsEnds() {
        Lease lease = ann.acquire(KEY, RUN);
        Subscription use = lease.startUse();
        ann.leases.close();
        ann.store.always(Verb.SETTLE, new Fault.NoReply());
        CompletableFuture<SettleResult> settled = lease.settleAsync(DONE);

        bench.advance(TTL);

        assertThat(settled)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(StoreUnavailableException.class);
        use.close();
    }

    @Test
    @DisplayName("L09 A renewal by hand ends although the client was closed and the store does not answer")
    void renewalEnds() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.NoReply());
        CompletableFuture<Instant> renewed = lease.renewAsync();

        ann.leases.close();
        bench.advance(TTL);

        assertThat(renewed).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LeaseException.class);
    }

    @Test
    @Tag("slow")
    @DisplayName("L09 A release ends although the client was closed and the store does not answer")
    void releaseEnds() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RELEASE, new Fault.NoReply());
        CompletableFuture<ReleaseOutcome> released = lease.releaseAsync();

        ann.leases.close();
        bench.advance(TTL);

        assertThat(released).isCompletedWithValue(ReleaseOutcome.UNKNOWN);
    }

    @Test
    @Timeout(60)
    @DisplayName("L09 Closing on a thread that is interrupted gives work its grace all the same")
    void interruptDoesNotCutTheGrace() throws Exception {
        Lease lease = ann.acquire(KEY);
        Subscription use = lease.startUse();
        Threads.Running<Boolean> closing = Threads.start(() -> {
            Thread.currentThread().interrupt();
            ann.leases.close(Duration.ofHours(1));
            return Thread.interrupted();
        });
        Threads.eventually(
                "the close waits", () -> closing.isWaiting() || closing.task().isDone());
        closing.thread().interrupt();
        Threads.eventually(
                "the close waits again",
                () -> closing.isWaiting() || closing.task().isDone());
        assertThat(lease.isValid()).isTrue();

        use.close();

        assertThat(closing.get()).as("the interrupt is kept").isTrue();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("L09 Closing on a thread that is interrupted waits until the store has everything back")
    void interruptDoesNotCutTheWaitForTheStore() {
        Leases leases = Leases.builder(new ForwardingStore(bench.memory) {
                    @Override
                    public ReleaseResult release(ReleaseRequest request) {
                        Threads.pause(Duration.ofMillis(100));
                        return super.release(request);
                    }
                })
                .withoutLog()
                .build();
        leases.tryAcquire(KEY).orElseThrow();
        Thread.currentThread().interrupt();
        leases.close();
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    /** The client is closed as soon as its lease is granted, before the caller gets to its work. */
    private void closeOnceGranted() {
        ann.leases.onEvent(event -> {
            if (event instanceof LeaseEvent.Acquired) {
                ann.leases.close();
            }
        });
    }

    @Test
    @DisplayName("L09 No work begins under a lease that was given back by closing the client")
    void noWorkAfterGivingBack() {
        closeOnceGranted();
        AtomicBoolean isBegun = new AtomicBoolean();
        assertThatThrownBy(() -> ann.leases.with(KEY, LeaseOptions.noWait(), lease -> {
                    isBegun.set(true);
                    return 0;
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(isBegun).isFalse();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("L09 No run begins under a lease that was given back by closing the client")
    void noRunAfterGivingBack() {
        closeOnceGranted();
        AtomicBoolean isBegun = new AtomicBoolean();
        assertThatThrownBy(
                        () -> Once.on(ann.leases, KEY, RunSpec.of(Codec.utf8())).run(run -> {
                            isBegun.set(true);
                            return "done";
                        }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(isBegun).isFalse();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("slow")
    @DisplayName("L09 Whenever the client is closed, no work begins under a lease that was given back")
    void noWorkAfterGivingBackOnManyThreads() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            Leases leases = Leases.builder(new MemoryLeaseStore()).withoutLog().build();
            CountDownLatch start = new CountDownLatch(1);
            Threads.Running<LeaseState> worker = Threads.start(() -> {
                start.countDown();
                try {
                    return leases.with(KEY, LeaseOptions.noWait(), Lease::state);
                } catch (LeaseException e) {
                    return LeaseState.HELD; // It was closed before.
                }
            });
            start.await();
            for (long end = System.nanoTime() + i % 400 * 200L; System.nanoTime() < end; ) {
                Thread.onSpinWait();
            }
            leases.close();
            assertThat(worker.get()).isNotEqualTo(LeaseState.RELEASED);
        }
    }

    @Test
    @Timeout(60)
    @DisplayName("L09 Closing gives a lease back although the store fails for a moment just then")
    void closingOutlastsABlip() throws Exception {
        ann.acquire(KEY);
        ann.store.always(Verb.RELEASE, new Fault.LostRequest());
        Threads.Running<Boolean> closing = Threads.start(() -> {
            ann.leases.close();
            return true;
        });
        Threads.eventually(
                "the prompt tries fail",
                () -> ann.store.calls(Verb.RELEASE) == 3
                        && (closing.isWaiting() || closing.task().isDone()));
        ann.store.heal();
        bench.advanceSeconds(0.5);
        assertThat(closing.get()).isTrue();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Timeout(60)
    @DisplayName("L09 Leasehold is closed by two threads: its store is closed after the last lease was given back")
    void closedTwiceAtOnce() throws Exception {
        Leasehold leasehold = Leasehold.open("slow-release:");
        SlowReleaseStore store = (SlowReleaseStore) leasehold.leases().store();
        leasehold.leases().tryAcquire(KEY).orElseThrow();
        Threads.Running<Boolean> first = closing(leasehold);
        Threads.eventually("the lease is given back", store::isReleasing);
        Threads.Running<Boolean> second = closing(leasehold);
        Threads.eventually(
                "the second close waits",
                () -> second.isWaiting() || second.task().isDone());

        store.answer();

        assertThat(first.get() && second.get()).isTrue();
        assertThat(store.wasClosedTooEarly()).isFalse();
        assertThat(store.isClosed()).isTrue();
        assertThat(store.find(KEY))
                .hasValueSatisfying(found -> assertThat(found.isHeld()).isFalse());
    }

    private static Threads.Running<Boolean> closing(Leasehold leasehold) {
        return Threads.start(() -> {
            leasehold.close();
            return true;
        });
    }

    @Test
    @Timeout(60)
    @DisplayName("L09 Work that closes its client does not wait for a close that gives it an hour")
    void theShorterGraceCounts() throws Exception {
        Leases leases = Leases.builder(bench.memory).withoutLog().build();
        Lease lease = leases.tryAcquire(KEY).orElseThrow();
        Subscription use = lease.startUse();
        Threads.Running<Boolean> first = Threads.start(() -> {
            leases.close(Duration.ofHours(1));
            return true;
        });
        Threads.eventually("the close waits", first::isWaiting);

        leases.close();

        assertThat(first.get()).isTrue();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        use.close();
    }

    @Test
    @DisplayName("L09 A listener may close the client on the thread that closes it")
    void closedWithinAClose() {
        ann.leases.onEvent(event -> {
            if (event instanceof LeaseEvent.Released) {
                ann.leases.close();
            }
        });
        ann.acquire(KEY);
        ann.leases.close();
        assertThat(bench.isHeld(KEY)).isFalse();
    }
}
