package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets a lease, who does not, and what asking again means. */
abstract class AcquireCases extends StoreFixture {
    @Test
    @DisplayName("A01 A key that nobody has is granted, for no longer than was asked")
    final void freeKeyIsGranted() {
        Key key = key();
        assertThat(store.find(key)).isEmpty();

        Granted grant = granted(store.acquire(ask(key)));

        assertThat(grant.fence().value()).isPositive();
        assertThat(grant.remaining()).isPositive().isLessThanOrEqualTo(LONG.plus(traits().tick()));
        assertThat(grant.attempt()).isEqualTo(1);
        assertThat(grant.predecessor()).isNull();
        assertThat(grant.checkpoint()).isNull();
    }

    @Test
    @DisplayName("A01 Everybody can see who holds a lease, and since when")
    final void holderIsVisibleToOthers() throws Exception {
        Key key = key();
        AcquireRequest request = ask(key);
        LeaseRef lease = take(request);

        LeaseSnapshot seen = another().find(key).orElseThrow();

        assertThat(seen.isHeld()).isTrue();
        assertThat(seen.remaining()).isPositive().isLessThanOrEqualTo(LONG.plus(traits().tick()));
        assertThat(seen.record().ref()).isEqualTo(lease);
        Tenure tenure = Objects.requireNonNull(seen.record().tenure());
        assertThat(tenure.owner()).isEqualTo(request.owner());
        assertThat(tenure.ttlMicros()).isEqualTo(Micros.of(LONG));
        assertThat(tenure.sinceMicros()).isLessThanOrEqualTo(seen.nowMicros());
    }

    @Test
    @DisplayName("A02 A held key is refused, with its holder and the time left, and nothing is written")
    final void heldKeyIsRefused() throws Exception {
        Key key = key();
        AcquireRequest first = ask(key);
        LeaseRef lease = take(first);
        LeaseRecord before = record(key);

        Held held = held(another().acquire(ask(key)));

        assertThat(held.owner()).isEqualTo(first.owner());
        assertThat(held.fence()).isEqualTo(lease.fence());
        assertThat(held.remaining()).isPositive().isLessThanOrEqualTo(LONG.plus(traits().tick()));
        assertThat(held.ttl()).isEqualTo(LONG);
        assertThat(held.heldFor()).isGreaterThanOrEqualTo(Duration.ZERO);
        assertThat(held.inLine()).isFalse();
        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("A05 The same call asked again gets the same lease, through any store object")
    final void sameNonceGetsTheSameLease() throws Exception {
        AcquireRequest request = ask(key());
        Granted first = granted(store.acquire(request));

        Granted again = granted(another().acquire(request));

        assertThat(again.fence()).isEqualTo(first.fence());
        assertThat(again.attempt()).isEqualTo(first.attempt());
        assertThat(again.predecessor()).isNull();
    }

    @Test
    @DisplayName("A05 The same call asked again after its lease ran out still gets the same lease, for a whole TTL")
    final void sameNonceRevivesItsExpiredLease() throws Exception {
        AcquireRequest request = ask(key(), brief());
        LeaseRef lease = take(request);
        elapse(brief());

        Granted again = granted(store.acquire(request));

        assertThat(again.fence()).isEqualTo(lease.fence());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.remaining()).isEqualTo(brief());
    }

    @Test
    @DisplayName("A06 A late duplicate of a released call gets nothing, and the key stays free")
    final void releasedNonceIsSpent() throws Exception {
        AcquireRequest request = ask(key());
        release(take(request));
        LeaseRecord before = record(request.key());

        assertThat(another().acquire(request)).isEqualTo(new AcquireResult.Spent());

        assertThat(record(request.key())).isEqualTo(before);
        assertThat(before.state()).isEqualTo(State.FREE);
    }

    /** One nonce is remembered per key, so a duplicate of an older call gets a lease that ends with its TTL. */
    @Test
    @DisplayName("A06 Only the last released call is remembered: an older duplicate is granted, and bounded by its TTL")
    final void olderDuplicateIsBoundedByItsTtl() throws Exception {
        Key key = key();
        AcquireRequest old = ask(key, brief());
        release(take(old));
        LeaseRef last = take(key);
        release(last);

        Granted late = granted(store.acquire(old));

        assertThat(late.fence()).isGreaterThan(last.fence());
        assertThat(late.remaining()).isLessThanOrEqualTo(brief());
        elapse(brief());
        granted(store.acquire(ask(key)));
    }

    @Test
    @DisplayName("A06 A call whose reply was lost and that gave up leaves nothing behind, whatever comes late")
    final void withdrawnCallIsSpent() {
        AcquireRequest request = ask(key());
        granted(store.acquire(request));

        assertThat(store.release(ReleaseRequest.withdrawing(request.key(), request.nonce())))
                .isEqualTo(ReleaseResult.RELEASED);

        assertThat(store.acquire(request)).isEqualTo(new AcquireResult.Spent());
        granted(store.acquire(ask(request.key())));
    }

    @Test
    @DisplayName("A11 A TTL of nothing, less than nothing or more than a year is refused before it reaches the store")
    final void senselessTtlIsRefused() {
        Key key = key();
        for (Duration ttl : List.of(
                Duration.ZERO,
                Duration.ofMillis(-1),
                AcquireRequest.MAX_TTL.plusNanos(1),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThatThrownBy(() -> ask(key, ttl))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(key.value());
        }
    }

    @Test
    @DisplayName("A11 The longest TTL and an endless lock delay do not overflow into an expired lease")
    final void longestTtlHolds() {
        Key key = key();
        Granted grant = granted(store.acquire(ask(key, AcquireRequest.MAX_TTL)));

        assertThat(grant.remaining()).isGreaterThan(AcquireRequest.MAX_TTL.minusDays(1));
        Held held = held(store.acquire(ask(key).withLockDelay(Micros.FOREVER)));
        assertThat(held.remaining()).isGreaterThan(AcquireRequest.MAX_TTL.minusDays(1));
        assertThat(held.ttl()).isEqualTo(AcquireRequest.MAX_TTL);
    }

    @Test
    @DisplayName("A11 A TTL between two ticks is rounded up")
    final void oddTtlIsRoundedUp() {
        Key key = key();
        Duration odd = LONG.plusNanos(1);
        take(ask(key, odd));

        Duration kept =
                Micros.toDuration(Objects.requireNonNull(record(key).tenure()).ttlMicros());

        assertThat(kept).isBetween(odd, odd.plus(traits().tick()));
    }

    @Test
    @DisplayName("A12 The holder's own second call is refused like anybody's, and returns")
    final void secondCallOfTheSameOwnerIsRefused() {
        AcquireRequest first = ask(key());
        LeaseRef lease = take(first);

        Held held = held(store.acquire(AcquireRequest.of(first.key(), nonce(), first.owner(), LONG)));

        assertThat(held.fence()).isEqualTo(lease.fence());
    }

    @Test
    @DisplayName("A13 Two callers with the same owner label are two callers")
    final void ownerLabelDecidesNothing() throws Exception {
        Key key = key();
        Owner label = Owner.of("one host");
        LeaseRef mine = take(AcquireRequest.of(key, nonce(), label, LONG));
        LeaseRecord before = record(key);
        AcquireRequest neighbour = AcquireRequest.of(key, nonce(), label, LONG);

        held(another().acquire(neighbour));
        LeaseRef pretended = new LeaseRef(key, neighbour.nonce(), mine.fence());
        assertThat(isRenewed(pretended)).isFalse();
        assertThat(release(pretended)).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("A16 Batches that name two keys in opposite orders do not lock each other out")
    final void oppositeOrdersDoNotDeadlock() throws Exception {
        LeaseRef one = take(key());
        LeaseRef two = take(key());

        List<Integer> renewed = Race.of(4, racer -> () -> {
            List<LeaseRef> batch = racer % 2 == 0 ? List.of(one, two) : List.of(two, one);
            int count = 0;
            for (int round = 0; round < 25; round++) {
                count += store.renew(batch).size();
            }
            return count;
        });

        assertThat(renewed).containsOnly(50);
    }
}
