package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The finer points of the rules; the contract kit covers the rest on every store. */
@DisplayName("The rules")
class LeaseRulesTest {
    private static final long NOW = 1_000_000_000;
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Key KEY = Key.of("k");

    private static AcquireRequest request(int nonce) {
        return AcquireRequest.of(KEY, new Nonce(0, nonce), Owner.of("owner" + nonce), TTL);
    }

    private static LeaseRecord held(int nonce, long now) {
        return Objects.requireNonNull(
                LeaseRules.acquire(null, request(nonce), now).record());
    }

    private static LeaseRecord waitedFor(LeaseRecord record, int nonce, long now) {
        return Objects.requireNonNull(
                LeaseRules.acquire(record, request(nonce).inLineFor(TTL), now).record());
    }

    @Test
    @DisplayName("A02 leave the very same record where nothing changes, so that a refusal need not write")
    void refusalWritesNothing() {
        LeaseRecord record = held(1, NOW);
        assertThat(LeaseRules.acquire(record, request(2), NOW).record()).isSameAs(record);
        LeaseRecord line = waitedFor(record, 2, NOW);
        assertThat(waitedFor(line, 2, NOW + 1_000)).isSameAs(line);
    }

    @Test
    @DisplayName("C07 call a lease expired at the very moment of its expiry")
    void expiryIsExclusive() {
        LeaseRecord record = held(1, NOW);
        long expiry = record.expiryMicros();
        assertThat(LeaseRules.acquire(record, request(2), expiry - 1).result()).isInstanceOf(AcquireResult.Held.class);
        assertThat(LeaseRules.acquire(record, request(2), expiry).result()).isInstanceOf(AcquireResult.Granted.class);
    }

    @Test
    @DisplayName("C07 call a lease held that has no end, whatever the lock delay")
    void endless() {
        LeaseRecord record = held(1, NOW).withExpiry(Long.MAX_VALUE);
        AcquireRequest patient = request(2).withLockDelay(Duration.ofSeconds(5));
        assertThat(LeaseRules.acquire(record, patient, NOW).result()).isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    @DisplayName("C03 treat a lease that was watched and lies in the future as expired, but only that one")
    void fromTheFuture() {
        LeaseRecord record = held(1, NOW);
        long setBack = NOW - 3_600_000_000L / 4;
        AcquireRequest patient = request(2).overruling(record.fence());
        assertThat(LeaseRules.acquire(record, request(2), setBack).result()).isInstanceOf(AcquireResult.Held.class);
        assertThat(LeaseRules.acquire(record, patient, setBack).result())
                .isInstanceOfSatisfying(
                        AcquireResult.Granted.class,
                        granted -> assertThat(granted.fence()).isGreaterThan(record.fence()));
        assertThat(LeaseRules.acquire(record, patient, NOW).result()).isInstanceOf(AcquireResult.Held.class);
        assertThat(LeaseRules.acquire(
                                record,
                                request(2).overruling(Fence.of(record.fence().value() - 1)),
                                setBack)
                        .result())
                .isInstanceOf(AcquireResult.Held.class);
    }

    @Test
    @DisplayName("hand a released lease to the first in line whose place has not lapsed, for a short while")
    void handOver() {
        LeaseRecord record = waitedFor(waitedFor(held(1, NOW), 2, NOW), 3, NOW + 6_000_000);
        long later = NOW + 10_500_000;
        LeaseRules.Change<ReleaseResult> change =
                LeaseRules.release(record, ReleaseRequest.of(Objects.requireNonNull(record.ref())), later);
        LeaseRecord next = Objects.requireNonNull(change.record());
        assertThat(Objects.requireNonNull(next.tenure()).nonce()).isEqualTo(new Nonce(0, 3));
        assertThat(next.expiryMicros()).isEqualTo(later + Micros.of(LeaseRules.HAND_OVER));
        assertThat(next.fence()).isGreaterThan(record.fence());
        assertThat(next.line()).isEmpty();
        assertThat(change.wakeUps())
                .containsExactly(new WakeUp.HandedOver(
                        Objects.requireNonNull(next.ref()), Duration.ofMillis(4_500), LeaseRules.HAND_OVER, 1));
    }

    @Test
    @DisplayName("keep a cooldown from outliving a clock that was set back")
    void cooldownAndClock() {
        LeaseRecord record = held(1, NOW);
        LeaseRecord cooling = Objects.requireNonNull(LeaseRules.release(
                        record,
                        ReleaseRequest.of(Objects.requireNonNull(record.ref())).withCooldown(Duration.ofSeconds(30)),
                        NOW)
                .record());
        assertThat(cooling.isCooling(NOW + 29_999_999)).isTrue();
        assertThat(cooling.isCooling(NOW + 30_000_000)).isFalse();
        assertThat(cooling.isCooling(NOW - 1)).isFalse();
    }

    @Test
    @DisplayName("F06 purge a record only when its state and its fence are both older than what is retained")
    void purge() {
        LeaseRecord record = held(1, NOW);
        LeaseRecord free = Objects.requireNonNull(
                LeaseRules.release(record, ReleaseRequest.of(Objects.requireNonNull(record.ref())), NOW + 1)
                        .record());
        Duration day = Duration.ofDays(1);
        assertThat(LeaseRules.isPurgeable(free, day, NOW + 1 + Micros.of(day))).isTrue();
        assertThat(LeaseRules.isPurgeable(free, day, NOW + Micros.of(day))).isFalse();
        assertThat(LeaseRules.isPurgeable(record, Duration.ZERO, NOW + 1)).isFalse();
        LeaseRecord ahead =
                new LeaseRecord(KEY, Fence.of(NOW * 2), State.FREE, null, null, NOW, 0, Progress.NONE, List.of());
        assertThat(LeaseRules.isPurgeable(ahead, Duration.ZERO, NOW * 2)).isFalse();
        assertThat(LeaseRules.isPurgeable(ahead, Duration.ZERO, NOW * 2 + 1)).isTrue();
    }

    @Test
    @DisplayName("O18 give the same attempt to the same call, and count a takeover as another")
    void attempts() {
        LeaseRecord record = held(1, NOW);
        assertThat(LeaseRules.acquire(record, request(1), NOW).result())
                .isInstanceOfSatisfying(
                        AcquireResult.Granted.class,
                        granted -> assertThat(granted.attempt()).isEqualTo(1));
        assertThat(LeaseRules.acquire(record, request(2), record.expiryMicros()).result())
                .isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> {
                    assertThat(granted.attempt()).isEqualTo(2);
                    assertThat(granted.predecessor()).isEqualTo(new Predecessor(Owner.of("owner1"), record.fence()));
                });
    }

    @Test
    @DisplayName("O12 count no hand-over of a run that its holder did not confirm")
    void unconfirmedHandOver() {
        LeaseRecord handed = handedOver(ReleaseRequest.Ending.KEEP_ATTEMPTS);
        assertThat(LeaseRules.acquire(handed, request(3), handed.expiryMicros()).result())
                .isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> {
                    assertThat(granted.attempt()).isEqualTo(2);
                    assertThat(granted.predecessor()).isNull();
                });
        LeaseRecord confirmed = Objects.requireNonNull(
                LeaseRules.acquire(handed, request(2), NOW).record());
        assertThat(LeaseRules.acquire(confirmed, request(3), confirmed.expiryMicros())
                        .result())
                .isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> {
                    assertThat(granted.attempt()).isEqualTo(3);
                    assertThat(granted.predecessor()).isEqualTo(new Predecessor(Owner.of("owner2"), handed.fence()));
                });
    }

    @Test
    @DisplayName("T07 name the holder of a lock that was handed over as predecessor: it works before it confirms")
    void unconfirmedLock() {
        LeaseRecord handed = handedOver(ReleaseRequest.Ending.WIPE);
        assertThat(LeaseRules.acquire(handed, request(3), handed.expiryMicros()).result())
                .isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> {
                    assertThat(granted.attempt()).isEqualTo(1);
                    assertThat(granted.predecessor()).isEqualTo(new Predecessor(Owner.of("owner2"), handed.fence()));
                });
    }

    private static LeaseRecord handedOver(ReleaseRequest.Ending ending) {
        LeaseRecord record = waitedFor(held(1, NOW), 2, NOW);
        ReleaseRequest release =
                ReleaseRequest.of(Objects.requireNonNull(record.ref())).withEnding(ending);
        return Objects.requireNonNull(LeaseRules.release(record, release, NOW).record());
    }
}
