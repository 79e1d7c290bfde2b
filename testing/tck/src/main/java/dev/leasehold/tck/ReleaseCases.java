package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Cooling;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.State;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who can give a lease back, and what is left of it then. */
abstract class ReleaseCases extends RenewCases {
    @Test
    @DisplayName("L01 A released key is granted at once, as if it were new but for its larger fence")
    final void releasedKeyIsFree() throws Exception {
        LeaseRef lease = take(key());

        assertThat(release(lease)).isEqualTo(ReleaseResult.RELEASED);

        Granted next = granted(another().acquire(ask(lease.key())));
        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.predecessor()).isNull();
    }

    @Test
    @DisplayName("L01 A lease that ran out and that nobody took can still be given back")
    final void expiredLeaseIsReleased() throws Exception {
        LeaseRef lease = takeAndLetExpire(key());

        assertThat(release(lease)).isEqualTo(ReleaseResult.RELEASED);

        assertThat(granted(store.acquire(ask(lease.key()))).predecessor()).isNull();
    }

    @Test
    @DisplayName("L02 A second release changes nothing")
    final void secondReleaseIsHarmless() {
        LeaseRef lease = take(key());
        release(lease);
        LeaseRecord before = record(lease.key());

        assertThat(release(lease)).isEqualTo(ReleaseResult.RELEASED);

        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("L02 A release of what the store never heard of changes nothing, and makes no record")
    final void unknownReleaseIsHarmless() {
        LeaseRef unknown = new LeaseRef(key(), nonce(), Fence.of(1));

        assertThat(release(unknown)).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(store.find(unknown.key())).isEmpty();
    }

    @Test
    @DisplayName("L03 A stale release leaves the successor alone, and is told")
    final void staleReleaseIsRefused() throws Exception {
        Key key = key();
        LeaseRef stale = takeAndLetExpire(key);
        take(key);
        LeaseRecord before = record(key);

        assertThat(another().release(ReleaseRequest.of(stale))).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("L03 A stale release leaves a successor alone that has the same owner label")
    final void staleReleaseOfTheSameOwnerIsRefused() throws Exception {
        AcquireRequest first = ask(key(), brief());
        LeaseRef stale = take(first);
        elapse(brief());
        take(AcquireRequest.of(first.key(), nonce(), first.owner(), LONG));
        LeaseRecord before = record(first.key());

        assertThat(release(stale)).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(record(first.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("L03 A release with the right nonce and another fence is refused")
    final void releaseWithAnotherFenceIsRefused() {
        LeaseRef lease = take(key());
        LeaseRecord before = record(lease.key());
        Fence older = Fence.of(lease.fence().value() - 1);

        assertThat(release(new LeaseRef(lease.key(), lease.nonce(), older))).isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("L04 A release asked again because its reply was lost says released, also if the key was taken since")
    final void releaseCanBeAskedAgain() throws Exception {
        LeaseRef lease = take(key());
        release(lease);
        LeaseRef next = take(lease.key());

        assertThat(another().release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);

        assertThat(record(lease.key()).ref()).isEqualTo(next);
    }

    @Test
    @DisplayName("L05 A release that races a renewal leaves the key free")
    final void releaseWinsAgainstRenewal() throws Exception {
        LeaseStore other = another();
        for (int round = 0; round < 20; round++) {
            LeaseRef lease = take(key());

            Race.of(2, racer -> () -> racer == 0 ? release(lease) : other.renew(List.of(lease)));

            assertThat(record(lease.key()).state()).isEqualTo(State.FREE);
            assertThat(isRenewed(lease)).isFalse();
        }
    }

    @Test
    @DisplayName("L07 Another thread can release, through another store object")
    final void anotherThreadCanRelease() throws Exception {
        LeaseRef lease = take(key());
        LeaseStore other = another();

        List<ReleaseResult> results = Race.of(2, racer -> () -> other.release(ReleaseRequest.of(lease)));

        assertThat(results).containsOnly(ReleaseResult.RELEASED);
        granted(store.acquire(ask(lease.key())));
    }

    @Test
    @DisplayName("L10 Whoever reads the record can release by force: the holder learns it at its next renewal")
    final void forcedReleaseIsNoticed() throws Exception {
        LeaseRef lease = take(key());
        LeaseRef seen = Objects.requireNonNull(
                another().find(lease.key()).orElseThrow().record().ref());

        assertThat(release(seen)).isEqualTo(ReleaseResult.RELEASED);

        assertThat(isRenewed(lease)).isFalse();
        assertThat(take(lease.key()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("L11 A cooldown keeps the key closed for its time, and then no longer")
    final void cooldownKeepsTheKeyClosed() throws Exception {
        LeaseRef lease = take(key());
        store.release(ReleaseRequest.of(lease).withCooldown(LONG));
        LeaseRecord before = record(lease.key());

        assertThat(store.acquire(ask(lease.key())))
                .asInstanceOf(InstanceOfAssertFactories.type(Cooling.class))
                .satisfies(
                        cooling -> assertThat(cooling.remaining()).isPositive().isLessThanOrEqualTo(LONG));
        assertThat(record(lease.key())).isEqualTo(before);
        assertThat(before.state()).isEqualTo(State.FREE);

        LeaseRef shorter = take(key());
        store.release(ReleaseRequest.of(shorter).withCooldown(brief()));
        elapse(brief());
        granted(store.acquire(ask(shorter.key())));
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("L11 A caller that ignores cooldowns gets in, but not past a live lease")
    final void cooldownCanBeIgnored() {
        LeaseRef lease = take(key());
        held(store.acquire(ask(lease.key()).ignoringCooldown()));
        store.release(ReleaseRequest.of(lease).withCooldown(LONG));

        assertThat(take(ask(lease.key()).ignoringCooldown()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @Tag("part-of:SYNC-6")
    @DisplayName("L11 A second release does not begin the cooldown anew")
    final void cooldownIsNotBegunAnew() {
        LeaseRef lease = take(key());
        store.release(ReleaseRequest.of(lease));

        store.release(ReleaseRequest.of(lease).withCooldown(LONG));

        granted(store.acquire(ask(lease.key())));
    }
}
