package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That fences grow for ever, and that one caller wins every race. */
abstract class FenceCases extends TakeoverCases {
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    @DisplayName("A03 Many ask for a fresh key at once: one is granted, the others are told by whom, nobody fails")
    final void oneOfManyWinsAFreshKey() throws Exception {
        for (int round = 0; round < 5; round++) {
            assertOneWins(race(key()));
        }
    }

    @Test
    @DisplayName("A04 Many ask for an expired key at once: one is granted, with a fence that nobody had before")
    final void oneOfManyWinsAnExpiredKey() throws Exception {
        List<LeaseRef> expired = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            expired.add(take(ask(key(), brief())));
        }
        elapse(brief());
        for (LeaseRef lease : expired) {
            assertThat(assertOneWins(race(lease.key()))).isGreaterThan(lease.fence());
        }
    }

    private List<AcquireResult> race(Key key) throws Exception {
        LeaseStore other = another();
        return Race.of(traits().racers(), racer -> () -> (racer % 2 == 0 ? store : other).acquire(ask(key)));
    }

    private static Fence assertOneWins(List<AcquireResult> results) {
        List<Granted> winners = only(Granted.class, results);
        assertThat(winners).hasSize(1);
        Fence fence = winners.get(0).fence();
        assertThat(only(Held.class, results))
                .hasSize(results.size() - 1)
                .extracting(Held::fence)
                .containsOnly(fence);
        return fence;
    }

    private static <T> List<T> only(Class<T> type, List<AcquireResult> results) {
        return results.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    @DisplayName("F01 A great many grants, one after the other: every fence is larger than the last")
    final void fencesGrow() {
        Key key = key();
        long last = 0;
        for (int grant = 0; grant < traits().operations(); grant++) {
            LeaseRef lease = take(key);
            if (lease.fence().value() <= last) {
                assertThat(lease.fence().value()).isGreaterThan(last);
            }
            last = lease.fence().value();
            release(lease);
        }
        assertThat(record(key).fence()).isEqualTo(Fence.of(last));
    }

    @Test
    @DisplayName("F01 Many grants to threads that fight for one key: no fence twice, and none smaller than one before")
    final void fencesNeverRepeat() throws Exception {
        Key key = key();
        LeaseStore other = another();
        int racers = Math.min(8, traits().racers());
        int tries = Math.max(25, traits().operations() / racers / 4);

        List<List<Fence>> fences = Race.of(racers, racer -> () -> {
            LeaseStore mine = racer % 2 == 0 ? store : other;
            List<Fence> got = new ArrayList<>();
            for (int i = 0; i < tries; i++) {
                AcquireRequest request = ask(key);
                if (untilKnown(() -> mine.acquire(request)) instanceof Granted grant) {
                    got.add(grant.fence());
                    untilKnown(() -> mine.release(ReleaseRequest.of(ref(request, grant))));
                }
            }
            return got;
        });

        assertThat(fences).allSatisfy(each -> assertThat(each).isSorted());
        List<Fence> all = fences.stream().flatMap(List::stream).toList();
        assertThat(all).isNotEmpty().doesNotHaveDuplicates();
        assertThat(record(key).fence())
                .isEqualTo(all.stream().max(Fence::compareTo).orElseThrow());
    }

    /** A thread that stands still while the others go on may not know whether its change was made: it asks again. */
    private static <T> T untilKnown(Supplier<T> call) {
        for (int tries = 1; ; tries++) {
            try {
                return call.get();
            } catch (StoreUnavailableException e) {
                if (tries == 10) {
                    throw e;
                }
            }
        }
    }

    @Test
    @DisplayName("F02 Release, purge, acquire: the fence grows")
    final void fenceGrowsAfterPurge() throws Exception {
        LeaseRef lease = take(key());
        release(lease);
        letATickPass();
        store.purge(Duration.ZERO, Integer.MAX_VALUE);
        assertThat(store.find(lease.key())).isEmpty();

        assertThat(take(lease.key()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("F03 The store is opened anew: fences grow, and what is kept is still there")
    final void fenceGrowsAfterReopening() throws Exception {
        LeaseRef lease = take(key());
        LeaseRecord before = record(lease.key());

        reopenAfter(data -> data.elapse(traits().tick()));

        assertThat(store.find(lease.key()).isPresent()).isEqualTo(traits().isKept());
        if (traits().isKept()) {
            if (traits().time() != StoreTraits.Time.MOVED) {
                assertThat(record(lease.key())).isEqualTo(before);
            }
            assertThat(isRenewed(lease)).isTrue();
            release(lease);
        }
        assertThat(take(lease.key()).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("F04 The record is lost behind the store's back: the fence grows by the clock")
    final void fenceGrowsAfterLoss() throws Exception {
        LeaseRef lease = take(key());

        reopenAfter(data -> {
            data.lose(lease.key());
            data.elapse(traits().tick());
        });

        assertThat(store.find(lease.key())).isEmpty();
        assertThat(take(lease.key()).fence()).isGreaterThan(lease.fence());
    }

    /** Where nobody can set the clock, these are just three grants in a row. */
    @Test
    @DisplayName("F05 The clock went back by an hour: the fence grows")
    final void fenceGrowsWhenTheClockWentBack() throws Exception {
        LeaseRef lease = take(key());
        if (!isTimeReal()) {
            setBack(HOUR);
        }

        release(lease);
        LeaseRef next = take(lease.key());
        release(next);

        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(take(lease.key()).fence()).isGreaterThan(next.fence());
    }

    /** Where nobody can set the clock, the purge asks for an hour more instead. */
    @Test
    @DisplayName("F06 Purge keeps a record whose fence the clock has not passed yet, though it is over")
    final void purgeKeepsAFenceFromTheFuture() throws Exception {
        Key key = key();
        release(take(key));
        if (!isTimeReal()) {
            setBack(HOUR);
        }
        LeaseRef lease = take(key);
        release(lease);

        store.purge(isTimeReal() ? HOUR : Duration.ZERO, Integer.MAX_VALUE);

        assertThat(record(key).state()).isEqualTo(State.FREE);
        assertThat(take(key).fence()).isGreaterThan(lease.fence());
    }

    @Test
    @DisplayName("F07 A call that was taken over and asks again is not given its successor's fence")
    final void staleCallDoesNotGetTheNewFence() throws Exception {
        AcquireRequest stale = ask(key(), brief());
        LeaseRef old = take(stale);
        elapse(brief());
        LeaseRef successor = take(stale.key());

        Held held = held(store.acquire(stale));

        assertThat(held.fence()).isEqualTo(successor.fence()).isNotEqualTo(old.fence());
        assertThat(record(stale.key()).ref()).isEqualTo(successor);
    }
}
