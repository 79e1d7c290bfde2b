package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which leases a renewal keeps, and which it says are lost. */
abstract class RenewCases extends AcquireCases {
    @Test
    @DisplayName("R02 A lease that was taken over is missing from the answer, and its successor is left alone")
    final void takenOverLeaseIsLost() throws Exception {
        Key key = key();
        LeaseRef lost = takeAndLetExpire(key);
        take(key);
        LeaseRecord before = record(key);

        assertThat(another().renew(List.of(lost))).isEmpty();

        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("R03 The right nonce with another fence is refused")
    final void otherFenceIsRefused() {
        LeaseRef lease = take(key());
        LeaseRecord before = record(lease.key());
        long fence = lease.fence().value();

        assertThat(isRenewed(new LeaseRef(lease.key(), lease.nonce(), Fence.of(fence - 1))))
                .isFalse();
        assertThat(isRenewed(new LeaseRef(lease.key(), lease.nonce(), Fence.of(fence + 1))))
                .isFalse();

        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("R03 The right fence with another nonce is refused")
    final void otherNonceIsRefused() {
        LeaseRef lease = take(key());
        LeaseRecord before = record(lease.key());

        assertThat(isRenewed(new LeaseRef(lease.key(), nonce(), lease.fence()))).isFalse();

        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("R04 A renewal whose reply was lost does not stand in the way of the next")
    final void renewalCanBeAskedAgain() throws Exception {
        LeaseRef lease = take(key());

        assertThat(isRenewed(lease)).isTrue();
        assertThat(another().renew(List.of(lease))).containsExactly(new Renewal(lease, LONG));
        assertThat(record(lease.key()).ref()).isEqualTo(lease);
    }

    @Test
    @DisplayName("R06 A lease that ran out and that nobody took lives for another TTL, with its fence")
    final void expiredLeaseIsRenewed() throws Exception {
        LeaseRef lease = takeAndLetExpire(key());
        LeaseSnapshot expired = find(lease.key());
        assertThat(expired.isHeld()).isFalse();

        assertThat(store.renew(List.of(lease))).containsExactly(new Renewal(lease, brief()));

        LeaseRecord renewed = record(lease.key());
        assertThat(renewed.ref()).isEqualTo(lease);
        assertThat(renewed.expiryMicros()).isGreaterThanOrEqualTo(expired.nowMicros() + Micros.of(brief()));
    }

    @Test
    @DisplayName("R06 A lease that was released or settled is not renewed back to life")
    final void endedLeaseIsNotRenewed() {
        LeaseRef released = take(key());
        release(released);
        LeaseRef settled = take(key());
        store.settle(SettleRequest.of(settled, Settlement.done(null, LONG)));

        assertThat(store.renew(List.of(released, settled))).isEmpty();

        assertThat(record(released.key()).state()).isEqualTo(State.FREE);
        assertThat(record(settled.key()).state()).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("R06 A lease that the store never heard of is lost, and no record is made of it")
    final void unknownLeaseIsNotMade() {
        LeaseRef unknown = new LeaseRef(key(), nonce(), Fence.of(1));

        assertThat(isRenewed(unknown)).isFalse();

        assertThat(store.find(unknown.key())).isEmpty();
    }

    @Test
    @DisplayName("R07 Of 500 leases in one request, exactly the three that were taken are lost")
    final void exactlyTheTakenAreLost() throws Exception {
        List<LeaseRef> leases = new ArrayList<>();
        for (int i = 0; i < 497; i++) {
            leases.add(take(key()));
        }
        List<LeaseRef> taken = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            taken.add(take(ask(key(), brief())));
        }
        elapse(brief());
        for (LeaseRef lease : taken) {
            granted(store.acquire(ask(lease.key())));
        }

        List<LeaseRef> all = new ArrayList<>(leases);
        for (int i = 0; i < taken.size(); i++) {
            all.add(i * 200, taken.get(i));
        }
        List<Renewal> renewals = store.renew(all);

        assertThat(renewals).extracting(Renewal::lease).containsExactlyInAnyOrderElementsOf(leases);
        assertThat(renewals).extracting(Renewal::remaining).containsOnly(LONG);
    }

    @Test
    @DisplayName("R07 Each lease of a batch is renewed for the TTL it was acquired with")
    final void eachKeepsItsOwnTtl() {
        AcquireRequest shorter = ask(key(), LONG.dividedBy(2));
        LeaseRef one = take(shorter);
        LeaseRef two = take(key());

        assertThat(store.renew(List.of(one, two)))
                .containsExactlyInAnyOrder(new Renewal(one, shorter.ttl()), new Renewal(two, LONG));
    }

    @Test
    @DisplayName("R07 An empty batch has an empty answer")
    final void emptyBatch() {
        assertThat(store.renew(List.of())).isEmpty();
    }

    @Test
    @DisplayName("R15 A renewal with a longer TTL counts at once, also for a lease that has expired")
    final void longerTtl() throws Exception {
        LeaseRef lease = takeAndLetExpire(key());
        LeaseSnapshot before = find(lease.key());

        assertThat(store.renew(lease, LONG)).contains(new Renewal(lease, LONG));

        LeaseRecord renewed = record(lease.key());
        assertThat(renewed.ref()).isEqualTo(lease);
        assertThat(ttl(renewed)).isEqualTo(LONG);
        assertThat(renewed.expiryMicros()).isGreaterThanOrEqualTo(before.nowMicros() + Micros.of(LONG));
        assertThat(held(store.acquire(ask(lease.key()))).ttl()).isEqualTo(LONG);
    }

    @Test
    @DisplayName("R15 A renewal with a shorter TTL counts at once: the key is free when that has passed")
    final void shorterTtl() throws Exception {
        LeaseRef lease = take(key());
        long before = record(lease.key()).expiryMicros();

        assertThat(store.renew(lease, brief())).contains(new Renewal(lease, brief()));

        assertThat(record(lease.key()).expiryMicros()).isLessThan(before);
        elapse(brief());
        assertThat(granted(store.acquire(ask(lease.key()))).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("R15 Later renewals, by another store object too, and the acquire asked again extend by the new TTL")
    final void newTtlIsKept() throws Exception {
        AcquireRequest request = ask(key());
        LeaseRef lease = take(request);
        LeaseRef other = take(key());

        for (Duration ttl : List.of(LONG.multipliedBy(2), LONG.dividedBy(2))) {
            assertThat(store.renew(lease, ttl)).contains(new Renewal(lease, ttl));
            assertThat(another().renew(List.of(lease, other)))
                    .containsExactlyInAnyOrder(new Renewal(lease, ttl), new Renewal(other, LONG));
            assertThat(store.renew(List.of(lease))).containsExactly(new Renewal(lease, ttl));
            assertThat(granted(store.acquire(request)).remaining()).isEqualTo(ttl);
            assertThat(ttl(record(lease.key()))).isEqualTo(ttl);
        }
    }

    @Test
    @DisplayName("R15 A lease that was handed over is confirmed by a renewal with another TTL")
    final void newTtlConfirmsAHandOver() {
        LeaseRef first = take(key());
        AcquireRequest waiting = ask(first.key()).inLineFor(LONG);
        held(store.acquire(waiting));
        release(first);
        LeaseRef lease = holder(first.key());
        assertThat(lease.nonce()).isEqualTo(waiting.nonce());
        Duration ttl = LONG.multipliedBy(2);

        assertThat(store.renew(lease, ttl)).contains(new Renewal(lease, ttl));

        LeaseRecord renewed = record(lease.key());
        assertThat(renewed.progress().isConfirmed()).isTrue();
        assertThat(ttl(renewed)).isEqualTo(ttl);
    }

    @Test
    @DisplayName("R15 Of several renewals with a TTL the last one counts; a later renewal tells which one that was")
    final void lastTtlCounts() throws Exception {
        LeaseRef lease = take(key());
        Duration longer = LONG.multipliedBy(2);
        Duration shorter = LONG.dividedBy(2);

        store.renew(lease, shorter);
        store.renew(lease, longer);
        long expiry = record(lease.key()).expiryMicros();
        assertThat(another().renew(lease, longer)).as("a late duplicate").contains(new Renewal(lease, longer));
        assertThat(record(lease.key()).expiryMicros()).isGreaterThanOrEqualTo(expiry);
        assertThat(store.renew(List.of(lease))).containsExactly(new Renewal(lease, longer));
        assertThat(record(lease.key()).expiryMicros()).isGreaterThanOrEqualTo(expiry);

        assertThat(another().renew(lease, shorter)).as("a late duplicate").contains(new Renewal(lease, shorter));
        assertThat(store.renew(List.of(lease))).containsExactly(new Renewal(lease, shorter));
    }

    @Test
    @DisplayName("R16 A renewal with another TTL is refused to anyone but the holder")
    final void ttlOfAnotherHolderIsNotChanged() {
        LeaseRef lease = take(key());
        long fence = lease.fence().value();
        LeaseRef unknown = new LeaseRef(key(), nonce(), Fence.of(1));

        assertTtlIsNotChanged(new LeaseRef(lease.key(), nonce(), lease.fence()));
        assertTtlIsNotChanged(new LeaseRef(lease.key(), lease.nonce(), Fence.of(fence - 1)));
        assertTtlIsNotChanged(new LeaseRef(lease.key(), lease.nonce(), Fence.of(fence + 1)));
        assertTtlIsNotChanged(unknown);
        assertThat(store.find(unknown.key())).isEmpty();
    }

    @Test
    @DisplayName("R16 A renewal with another TTL that comes after the lease was lost or ended changes nothing")
    final void lateRenewalWithTtlIsRefused() throws Exception {
        LeaseRef released = take(key());
        release(released);
        LeaseRef settled = take(key());
        store.settle(SettleRequest.of(settled, Settlement.done(null, LONG)));
        LeaseRef handedOver = take(key());
        held(store.acquire(ask(handedOver.key()).inLineFor(LONG)));
        release(handedOver);
        LeaseRef takenOver = takeAndLetExpire(key());
        LeaseRef successor = take(takenOver.key());

        for (LeaseRef lost : List.of(released, settled, handedOver, takenOver)) {
            assertTtlIsNotChanged(lost);
        }
        assertThat(store.renew(List.of(successor))).containsExactly(new Renewal(successor, LONG));
    }

    private void assertTtlIsNotChanged(LeaseRef lease) {
        Optional<LeaseRecord> before = store.find(lease.key()).map(LeaseSnapshot::record);
        assertThat(store.renew(lease, LONG.multipliedBy(3))).isEmpty();
        assertThat(store.find(lease.key()).map(LeaseSnapshot::record)).isEqualTo(before);
    }

    private static Duration ttl(LeaseRecord record) {
        return Micros.toDuration(Objects.requireNonNull(record.tenure()).ttlMicros());
    }
}
