package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Place;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How callers stand in line, and how a release hands the lease to the first of them. */
abstract class LineCases extends FenceCases {
    /** A call that was refused and now stands in line. */
    final AcquireRequest standInLine(Key key, Duration placeLife) {
        AcquireRequest request = ask(key).inLineFor(placeLife);
        assertThat(held(store.acquire(request)).inLine()).isTrue();
        return request;
    }

    final List<Nonce> line(Key key) {
        return record(key).line().stream().map(Place::nonce).toList();
    }

    /** Calls that stand in line for a lease that has run out meanwhile. */
    final List<AcquireRequest> standInLineForAnExpired(int callers) throws Exception {
        // Where time is real, a slow machine may sleep through the lease before everybody stands in line.
        for (int tries = 0; tries < 20; tries++) {
            Key key = take(ask(key(), brief())).key();
            List<AcquireRequest> line = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                line.add(ask(key).inLineFor(LONG));
            }
            if (line.stream().allMatch(request -> store.acquire(request) instanceof Held)) {
                elapse(brief());
                return line;
            }
        }
        throw new AssertionError("A lease of " + brief() + " ran out each time before anybody could stand in line.");
    }

    @Test
    @DisplayName("W04 A caller that waits is put in line with all it asked for, and one that does not wait is not")
    final void placeKeepsWhatWasAsked() {
        LeaseRef lease = take(key());
        AcquireRequest waiting = standInLine(lease.key(), LONG);
        assertThat(held(store.acquire(ask(lease.key()))).inLine()).isFalse();

        LeaseSnapshot seen = find(lease.key());

        assertThat(seen.record().ref()).isEqualTo(lease);
        Place place = seen.record().line().get(0);
        assertThat(line(lease.key())).containsExactly(waiting.nonce());
        assertThat(place.owner()).isEqualTo(waiting.owner());
        assertThat(place.ttlMicros()).isEqualTo(Micros.of(waiting.ttl()));
        assertThat(place.fingerprint()).isNull();
        assertThat(place.sinceMicros()).isLessThanOrEqualTo(seen.nowMicros());
        assertThat(place.untilMicros() - place.sinceMicros()).isEqualTo(Micros.of(LONG));
    }

    @Test
    @DisplayName("W04 A poll only reads while the caller's place is fresh")
    final void pollOnlyReads() throws Exception {
        LeaseRef lease = take(key());
        AcquireRequest waiting = standInLine(lease.key(), LONG);
        LeaseRecord before = record(lease.key());

        assertThat(held(another().acquire(waiting)).inLine()).isTrue();

        assertThat(record(lease.key())).isEqualTo(before);
    }

    @Test
    @DisplayName("W04 A place past half its life is refreshed by a poll, and stays where it was")
    final void pollRefreshesThePlace() throws Exception {
        LeaseRef lease = take(key());
        AcquireRequest first = standInLine(lease.key(), brief());
        AcquireRequest second = standInLine(lease.key(), LONG);
        elapse(brief().multipliedBy(6).dividedBy(10));
        Place before = record(lease.key()).line().get(0);

        held(store.acquire(first));

        Place after = record(lease.key()).line().get(0);
        assertThat(line(lease.key())).containsExactly(first.nonce(), second.nonce());
        assertThat(after.sinceMicros()).isEqualTo(before.sinceMicros());
        assertThat(after.untilMicros()).isGreaterThan(before.untilMicros());
    }

    @Test
    @DisplayName("W04 A release hands the lease to the first in line, with a larger fence and a short life")
    final void releaseHandsOver() {
        LeaseRef lease = take(key());
        AcquireRequest first = standInLine(lease.key(), LONG);
        AcquireRequest second = standInLine(lease.key(), LONG);

        assertThat(release(lease)).isEqualTo(ReleaseResult.RELEASED);

        LeaseSnapshot seen = find(lease.key());
        assertThat(seen.isHeld()).isTrue();
        assertThat(seen.remaining()).isLessThanOrEqualTo(LeaseRules.HAND_OVER);
        assertThat(holder(lease.key()).nonce()).isEqualTo(first.nonce());
        assertThat(holder(lease.key()).fence()).isGreaterThan(lease.fence());
        assertThat(seen.record().tombstone()).isEqualTo(lease.nonce());
        assertThat(line(lease.key())).containsExactly(second.nonce());
    }

    @Test
    @DisplayName("W04 Of a hundred in line, one release serves one, and the others keep their places in order")
    final void oneReleaseServesOne() {
        LeaseRef lease = take(key());
        List<Nonce> waiting = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            waiting.add(standInLine(lease.key(), LONG).nonce());
        }

        release(lease);

        assertThat(holder(lease.key()).nonce()).isEqualTo(waiting.get(0));
        assertThat(line(lease.key())).isEqualTo(waiting.subList(1, 100));
    }

    @Test
    @DisplayName("W04 Those in line get their turns in the order in which they came")
    final void turnsAreTakenInOrder() {
        LeaseRef lease = take(key());
        List<Nonce> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(standInLine(lease.key(), LONG).nonce());
        }

        List<Nonce> served = new ArrayList<>();
        LeaseRef holder = lease;
        for (int turn = 0; turn < 5; turn++) {
            release(holder);
            LeaseRef next = holder(lease.key());
            assertThat(next.fence()).isGreaterThan(holder.fence());
            served.add(next.nonce());
            holder = next;
        }
        release(holder);

        assertThat(served).isEqualTo(waiting);
        assertThat(record(lease.key()).state()).isEqualTo(State.FREE);
    }

    @Test
    @DisplayName("W05 A caller whose wake-up was lost finds its lease by asking again, and it lives for its TTL")
    final void lostWakeUpCostsTimeOnly() throws Exception {
        LeaseRef lease = take(key());
        AcquireRequest waiting = standInLine(lease.key(), LONG);
        release(lease);
        LeaseRef handed = holder(lease.key());

        Granted grant = granted(another().acquire(waiting));

        assertThat(grant.fence()).isEqualTo(handed.fence());
        assertThat(grant.remaining()).isEqualTo(LONG);
        assertThat(grant.attempt()).isEqualTo(1);
        assertThat(grant.predecessor()).isNull();
    }

    @Test
    @DisplayName("W05 A renewal confirms a lease that was handed over, for its whole TTL")
    final void renewalConfirmsTheHandOver() {
        LeaseRef lease = take(key());
        standInLine(lease.key(), LONG);
        release(lease);
        LeaseRef handed = holder(lease.key());

        assertThat(store.renew(List.of(handed))).containsExactly(new Renewal(handed, LONG));
        assertThat(find(lease.key()).remaining()).isGreaterThan(LeaseRules.HAND_OVER);
    }

    @Test
    @DisplayName("W05 A waiter that died costs the short life of its hand-over, and not a TTL")
    final void deadWaiterCostsAMoment() throws Exception {
        LeaseRef lease = take(key());
        AcquireRequest dead = standInLine(lease.key(), LONG);
        release(lease);
        LeaseRef handed = holder(lease.key());

        elapse(LeaseRules.HAND_OVER);

        Granted grant = granted(store.acquire(ask(lease.key())));
        assertThat(grant.predecessor()).isEqualTo(new Predecessor(dead.owner(), handed.fence()));
    }

    @Test
    @DisplayName("W05 A place that lapsed is passed over")
    final void lapsedPlaceIsPassedOver() throws Exception {
        LeaseRef lease = take(key());
        standInLine(lease.key(), brief());
        AcquireRequest alive = standInLine(lease.key(), LONG);
        LeaseRef abandoned = take(key());
        standInLine(abandoned.key(), brief());
        elapse(brief());

        release(lease);
        release(abandoned);

        assertThat(holder(lease.key()).nonce()).isEqualTo(alive.nonce());
        assertThat(line(lease.key())).isEmpty();
        assertThat(record(abandoned.key()).state()).isEqualTo(State.FREE);
    }

    @Test
    @DisplayName("W03 A caller that gives up leaves the line, and is passed over")
    final void withdrawalLeavesTheLine() {
        LeaseRef lease = take(key());
        AcquireRequest gone = standInLine(lease.key(), LONG);
        AcquireRequest stays = standInLine(lease.key(), LONG);

        assertThat(store.release(ReleaseRequest.withdrawing(lease.key(), gone.nonce())))
                .isEqualTo(ReleaseResult.NOT_HELD);

        assertThat(line(lease.key())).containsExactly(stays.nonce());
        assertThat(record(lease.key()).ref()).isEqualTo(lease);
        release(lease);
        assertThat(holder(lease.key()).nonce()).isEqualTo(stays.nonce());
    }

    @Test
    @DisplayName("W03 A caller that gives up just after the lease was handed to it passes it on")
    final void withdrawalPassesTheLeaseOn() {
        LeaseRef lease = take(key());
        AcquireRequest gone = standInLine(lease.key(), LONG);
        AcquireRequest next = standInLine(lease.key(), LONG);
        release(lease);

        assertThat(store.release(ReleaseRequest.withdrawing(lease.key(), gone.nonce())))
                .isEqualTo(ReleaseResult.RELEASED);

        assertThat(holder(lease.key()).nonce()).isEqualTo(next.nonce());
        assertThat(line(lease.key())).isEmpty();
    }

    @Test
    @DisplayName("W05 Whoever in line takes over an expired lease leaves the line; the others stay")
    final void takerLeavesTheLine() throws Exception {
        List<AcquireRequest> line = standInLineForAnExpired(3);
        AcquireRequest taker = line.get(1);

        take(taker);

        assertThat(line(taker.key()))
                .containsExactly(line.get(0).nonce(), line.get(2).nonce());
    }
}
