package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Cooling;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When an expired lease changes hands, and what a clock that jumps does to it. */
abstract class TakeoverCases extends ReleaseCases {
    private static final int ROUNDS = 10;
    private static final Duration HOUR = Duration.ofHours(1);

    /** @param ttl so long that no racer sleeps through it */
    private List<LeaseRef> expiredLeases(Duration ttl) throws Exception {
        List<LeaseRef> leases = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            leases.add(take(ask(key(), ttl)));
        }
        elapse(ttl);
        return leases;
    }

    @Test
    @DisplayName("T03 Of two takers, one gets the lease")
    final void oneOfTwoTakersWins() throws Exception {
        LeaseStore other = another();
        for (LeaseRef expired : expiredLeases(brief())) {
            List<AcquireResult> results =
                    Race.of(2, racer -> () -> (racer == 0 ? store : other).acquire(ask(expired.key())));

            assertThat(results).hasAtLeastOneElementOfType(Granted.class).hasAtLeastOneElementOfType(Held.class);
        }
    }

    @Test
    @DisplayName("T04 Taker and holder race: either the lease is renewed or it is taken, never both")
    final void takerAndRenewalExcludeEachOther() throws Exception {
        LeaseStore other = another();
        for (LeaseRef expired : expiredLeases(brief().plusSeconds(2))) {
            List<Boolean> got = Race.of(
                    2,
                    racer -> () ->
                            racer == 0 ? isRenewed(expired) : other.acquire(ask(expired.key())) instanceof Granted);

            assertThat(got).containsExactlyInAnyOrder(true, false);
        }
    }

    @Test
    @DisplayName("T05 Tries that do not wait are refused until the dead holder's TTL is over, and then granted")
    final void triesSucceedAfterTheTtl() throws Exception {
        LeaseRef alive = take(key());
        LeaseRef dead = take(ask(key(), brief()));
        for (int tries = 0; tries < 3; tries++) {
            held(store.acquire(ask(alive.key())));
        }

        elapse(brief());

        held(store.acquire(ask(alive.key())));
        assertThat(take(dead.key()).fence()).isGreaterThan(dead.fence());
    }

    @Test
    @DisplayName("T06 After an expiry the key stays closed for the lock delay, to those who ask for one")
    final void lockDelayKeepsTheKeyClosed() throws Exception {
        LeaseRef dead = takeAndLetExpire(key());

        Held held = held(store.acquire(ask(dead.key()).withLockDelay(LONG)));
        assertThat(held.remaining()).isEqualTo(Duration.ZERO);

        elapse(brief());
        granted(store.acquire(ask(dead.key()).withLockDelay(brief())));
    }

    @Test
    @DisplayName("T06 After a release there is no lock delay")
    final void lockDelayIsNotForReleases() {
        LeaseRef lease = take(key());
        release(lease);

        granted(store.acquire(ask(lease.key()).withLockDelay(LONG)));
    }

    @Test
    @DisplayName("T07 Whoever takes over learns from whom, and that it is the second attempt")
    final void takerKnowsItsPredecessor() throws Exception {
        AcquireRequest first = ask(key(), brief());
        LeaseRef dead = take(first);
        elapse(brief());
        AcquireRequest second = ask(first.key());

        Granted grant = granted(store.acquire(second));

        assertThat(grant.predecessor()).isEqualTo(new Predecessor(first.owner(), dead.fence()));
        assertThat(grant.attempt()).isEqualTo(2);
        assertThat(granted(store.acquire(second)).predecessor()).isEqualTo(grant.predecessor());
    }

    @Test
    @DisplayName("C02 The store's clock jumps forward: a lease that nobody wants survives, another is lost")
    final void clockJumpsForward() throws Exception {
        LeaseRef lonely = take(ask(key(), brief()));
        LeaseRef wanted = take(ask(key(), brief()));
        elapse(isTimeReal() ? brief() : HOUR);
        LeaseRef taken = take(wanted.key());

        assertThat(store.renew(List.of(lonely, wanted)))
                .extracting(renewal -> renewal.lease())
                .containsExactly(lonely);
        assertThat(taken.fence()).isGreaterThan(wanted.fence());
    }

    /** Where nobody can set the clock, the lease is as good as new, and what is checked is that nobody can steal it. */
    @Test
    @DisplayName("C03 The clock went back: a holder that was watched for its TTL without moving can be taken over")
    final void holderFromTheFutureIsTakenOver() throws Exception {
        LeaseRef dead = take(key());
        boolean isFuture = !isTimeReal();
        if (isFuture) {
            setBack(HOUR);
        }

        Held held = held(store.acquire(ask(dead.key())));
        AcquireResult overruling = store.acquire(ask(dead.key()).overruling(dead.fence()));

        assertThat(held.remaining().compareTo(held.ttl()) > 0).isEqualTo(isFuture);
        assertThat(overruling).isInstanceOf(isFuture ? Granted.class : Held.class);
        if (overruling instanceof Granted taken) {
            assertThat(taken.fence()).isGreaterThan(dead.fence());
            assertThat(isRenewed(dead)).isFalse();
        }
    }

    @Test
    @DisplayName("C03 A holder that did move, or another one, is not taken over")
    final void movedHolderIsNotTakenOver() throws Exception {
        LeaseRef holder = take(key());
        if (!isTimeReal()) {
            setBack(HOUR);
        }
        held(store.acquire(ask(holder.key()).overruling(Fence.of(holder.fence().value() - 1))));
        assertThat(isRenewed(holder)).isTrue();

        held(store.acquire(ask(holder.key()).overruling(holder.fence())));
    }

    @Test
    @DisplayName("C03 The clock went back: a cooldown does not become longer than it was")
    final void cooldownFromTheFutureIsOver() throws Exception {
        LeaseRef lease = take(key());
        store.release(ReleaseRequest.of(lease).withCooldown(LONG));
        assertThat(store.acquire(ask(lease.key()))).isInstanceOf(Cooling.class);
        if (isTimeReal()) {
            return;
        }

        setBack(HOUR);

        granted(store.acquire(ask(lease.key())));
    }

    @Test
    @DisplayName("C07 At the moment of its expiry a lease is over, and not before")
    final void expiryIsTheFirstMomentAfter() throws Exception {
        Duration tick = traits().tick();
        LeaseRef lease = take(ask(key(), brief()));
        if (!isTimeReal()) {
            boolean isExact = traits().time() == StoreTraits.Time.MANUAL;
            Duration last = isExact ? tick : brief().dividedBy(2);
            elapse(brief().minus(last));
            held(store.acquire(ask(lease.key())));
            elapse(last);
        } else {
            elapse(brief());
        }
        assertThat(find(lease.key()).isHeld()).isFalse();

        granted(store.acquire(ask(lease.key())));
    }
}
