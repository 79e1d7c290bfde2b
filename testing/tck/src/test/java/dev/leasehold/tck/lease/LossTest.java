package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.Key;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A holder learns of its loss before anybody else can start, and the loss is final. */
class LossTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("E03 With the store out of reach the holder is told at risk, and lost no later than the deadline")
    void lossIsToldByTheDeadline() {
        Lease lease = ann.acquire(KEY);
        Duration left = lease.remaining();
        ann.store.cutOff();

        bench.advance(left.minusNanos(1));
        assertThat(lease.state()).isEqualTo(LeaseState.AT_RISK);
        assertThat(lease.isValid()).isTrue();
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(Duration.ofNanos(1));

        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).contains("lock:at-risk").endsWith("lock:lost");
        assertThat(bench.isHeld(KEY)).as("held in the store for a while longer").isTrue();
    }

    @Test
    @DisplayName("E03 The holder is told of its loss before listeners are, who may block, if those are told first")
    void listenersDoNotHoldBackTheLoss() {
        List<String> reasons = new ArrayList<>();
        List<Integer> toldBefore = new ArrayList<>();
        try (Leases leases = Leases.builder(bench.memory)
                .clockwork(bench.time)
                .withoutLog()
                .listenersFirst()
                .build()) {
            leases.onEvent(event -> {
                if (event instanceof LeaseEvent.Lost) {
                    toldBefore.add(reasons.size());
                }
            });
            Lease lease = leases.tryAcquire(KEY).orElseThrow();
            lease.onLost(reasons::add);
            bench.memory.release(ReleaseRequest.of(lease.ref()));
            bench.advance(TTL);
            assertThat(toldBefore).containsExactly(1);
        }
    }

    @Test
    @DisplayName("E03 At risk says until when, and is over with the next renewal")
    void riskPasses() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        bench.advanceSeconds(20);
        assertThat(ann.events(LeaseEvent.AtRisk.class))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.expiresAt()).isCloseTo(lease.expiresAt(), within(1, ChronoUnit.MICROS)));
        ann.store.heal();
        bench.advanceSeconds(4);
        assertThat(lease.state()).isEqualTo(LeaseState.HELD);
        assertThat(ann.told()).endsWith("lock:renewed");
    }

    @Test
    @DisplayName("R02 A lost lease never comes back, whatever answers arrive late")
    void lostLeaseStaysLost() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.SlowReply(Duration.ofSeconds(25)));
        bench.advance(TTL);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        int told = ann.events.size();

        ann.store.heal();
        bench.advance(TTL);

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(lease.remaining()).isZero();
        assertThat(ann.events).hasSize(told);
        assertThatThrownBy(lease::ensure).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lease::renew).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("R02 Getting a lost key back is a new lease, with a larger fence")
    void keyComesBackAsANewLease() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        bench.advance(TTL);
        ann.store.heal();
        Lease next = ann.acquire(KEY);
        assertThat(next.id()).isNotEqualTo(lease.id());
        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    @DisplayName("L06 Closing a lease is quiet after the holder was told of its loss, and releasing it says so again")
    void closingIsQuiet() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        Lease successor = bob.acquire(KEY);
        bench.advanceSeconds(10);
        assertThatThrownBy(lease::ensure).isInstanceOf(LeaseLostException.class);

        lease.close();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(lease.releaseAsync().join()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        bench.advance(TTL);
        assertThat(successor.isValid()).isTrue();
    }

    @ParameterizedTest(
            name = "T06 A lost lease whose work goes on keeps the key closed for its TTL and a lock delay of {0} s")
    @ValueSource(ints = {0, 5})
    void lostLeaseKeepsTheKeyClosed(int lockDelay) {
        Duration ttl = Duration.ofSeconds(2);
        LeaseOptions options = LeaseOptions.noWait().withTtl(ttl).withLockDelay(Duration.ofSeconds(lockDelay));
        Lease lease = ann.acquire(KEY, options);
        ann.store.always(Verb.RENEW, new Fault.LostRequest());

        bench.advance(ttl.plusSeconds(lockDelay).minusNanos(1_000));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(bob.leases.tryAcquire(KEY, options)).isInstanceOf(Acquisition.Refused.class);
        bench.advance(Duration.ofNanos(1_000));
        assertThat(bob.leases.tryAcquire(KEY, options)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("T06 Closing the client leaves a lost lease under which work goes on to its TTL")
    void closingLeavesALostLease() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.LostReply());
        bench.advance(TTL);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);

        ann.leases.close();

        assertThat(bench.isHeld(KEY)).isTrue();
    }

    @Test
    @DisplayName("L06 Releasing a lost lease says that the work is over: a record that is still its own is given back")
    void releaseOfALostLeaseGivesTheRecordBack() {
        Lease lease = ann.acquire(KEY);
        ann.store.always(Verb.RENEW, new Fault.LostReply());
        bench.advance(TTL);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(bench.isHeld(KEY))
                .as("renewals got through, their replies did not")
                .isTrue();

        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);

        assertThat(bench.isHeld(KEY)).isFalse();
        assertThat(ann.store.calls(Verb.RELEASE)).isEqualTo(1);
        assertThat(ann.told()).endsWith("lock:lost");
    }

    @Test
    @DisplayName("L06 An abandoned lease is left to its TTL, released afterwards or not")
    void abandonedLeaseIsNotGivenBack() {
        Lease lease = ann.acquire(KEY);
        lease.abandon("as the test wants");
        assertThat(lease.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(bench.isHeld(KEY)).isTrue();
    }

    @Test
    @DisplayName("Whoever asks to be told after the loss is told at once; after a release, never")
    void lateListenersAreToldAtOnce() {
        List<String> told = new ArrayList<>();
        Lease released = bob.acquire(KEY);
        released.onLost(told::add);
        released.release();
        released.onLost(told::add);
        assertThat(told).isEmpty();
        Lease lost = ann.acquire(KEY);
        ann.store.cutOff();
        bench.advance(TTL);
        lost.onLost(told::add);
        assertThat(told).containsExactly("its time ran out before a renewal got through");
    }

    @Test
    @DisplayName("A callback for a loss that throws keeps nobody else from being told")
    void throwingCallbackHarmsNobody() {
        Lease lease = ann.acquire(KEY);
        List<String> told = new ArrayList<>();
        lease.onLost(why -> {
            throw new IllegalStateException("as the test wants");
        });
        lease.onLost(why -> {
            throw new AssertionError("as the test wants");
        });
        lease.onLost(told::add);
        ann.store.cutOff();
        bench.advance(TTL);
        assertThat(told).hasSize(1);
    }

    @Test
    @DisplayName("E03 Nothing is recorded under a lost lease, and the holder is told")
    void lostLeaseCannotBeSettled() {
        Lease lease = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        Lease successor = bob.acquire(KEY);
        assertThat(lease.settle(Settlement.done(null, Duration.ofDays(1)))).isEqualTo(SettleResult.SUPERSEDED);
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost");
        assertThat(successor.isValid()).isTrue();
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("A loss is an error with the code of a failed renewal, retryable, and says what to do")
    void lossIsAnError() {
        Lease lease = ann.acquire(KEY);
        ann.store.cutOff();
        bench.advance(TTL);
        assertThatThrownBy(lease::ensure)
                .isInstanceOfSatisfying(LeaseLostException.class, error -> {
                    assertThat(error.code()).isEqualTo(LeaseException.Code.RENEWAL_FAILED);
                    assertThat(error.isRetryable()).isTrue();
                    assertThat(error.key()).isEqualTo(KEY);
                })
                .hasMessageMatching(
                        "The lease on report was lost: .+\\. Stop, change nothing more, and acquire a new one"
                                + " to go on\\.");
    }

    @Test
    @Tag("part-of:LOCK-8")
    @DisplayName("The error of a lease that has ended says how it ended")
    void endIsTold() {
        Lease overtaken = ann.acquire(KEY);
        bench.memory.release(ReleaseRequest.of(overtaken.ref()));
        Lease released = bob.acquire(KEY);
        assertThatThrownBy(overtaken::renew)
                .isInstanceOf(LeaseLostException.class)
                .hasMessage(
                        "The lease on report was lost: another holder has it. Stop, change nothing more, and acquire"
                                + " a new one to go on.");

        released.release();
        assertThatThrownBy(released::ensure)
                .hasMessageContaining("The lease on report was released by its holder. Stop");

        Lease settled = ann.acquire(KEY, LeaseOptions.noWait().forRun());
        settled.settle(Settlement.done(null, Duration.ZERO));
        assertThatThrownBy(settled::ensure).hasMessageContaining("The lease on report has ended with its answer. Stop");

        Lease takenAway = bob.acquire(Key.of("other"));
        bob.leases.close();
        assertThatThrownBy(takenAway::ensure)
                .hasMessageContaining("The lease on other was released because the client was closed. Stop");
    }

    private static final Settlement ANSWER = Settlement.done(null, Duration.ofDays(1));

    @Test
    @DisplayName("O09 An answer that the store confirms late each time is recorded, and its run is settled")
    void lateConfirmationCounts() {
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().forRun());
        ann.store.always(Verb.SETTLE, new Fault.SlowReply(Duration.ofSeconds(8)));

        CompletableFuture<SettleResult> result = lease.settleAsync(ANSWER);
        bench.advanceSeconds(8);

        assertThat(result).isCompletedWithValue(SettleResult.SETTLED);
        assertThat(lease.state()).isEqualTo(LeaseState.SETTLED);
        bench.advance(TTL);
        assertThat(ann.store.calls(Verb.SETTLE)).isEqualTo(2);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:settled");
    }

    @Test
    @DisplayName("O09 A renewal between an answer and its confirmation is no loss")
    void renewalWhileSettling() {
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().forRun());
        List<String> lost = new ArrayList<>();
        lease.onLost(lost::add);
        bench.advanceSeconds(8.5);
        ann.store.next(Verb.SETTLE, new Fault.SlowReply(Duration.ofSeconds(4)));

        CompletableFuture<SettleResult> result = lease.settleAsync(ANSWER);
        bench.advanceSeconds(4);

        assertThat(ann.store.calls(Verb.RENEW)).isPositive();
        assertThat(result).isCompletedWithValue(SettleResult.SETTLED);
        assertThat(lease.state()).isEqualTo(LeaseState.SETTLED);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:settled");
        assertThat(lost).isEmpty();
    }

    @Test
    @DisplayName("R02 A lease that is gone while its answer cannot be recorded is lost at a renewal after that")
    void renewalAfterAnAnswerThatFailed() {
        Lease lease = ann.acquire(KEY);
        bench.advanceSeconds(8.5);
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        ann.store.always(Verb.SETTLE, new Fault.SlowReply(Duration.ofSeconds(20)));

        CompletableFuture<SettleResult> result = lease.settleAsync(ANSWER);
        bench.advanceSeconds(14.5);
        assertThat(result).isNotDone();
        assertThat(ann.told()).doesNotContain("lock:lost");
        bench.advanceSeconds(2);

        assertThat(result).isCompletedExceptionally();
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).endsWith("lock:lost");
    }
}
