package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What purge drops, and what it must not. */
abstract class PurgeCases extends ListCases {
    private int purge() {
        return store.purge(Duration.ZERO, Integer.MAX_VALUE);
    }

    private boolean isThere(LeaseRef lease) {
        return store.find(lease.key()).isPresent();
    }

    @Test
    @DisplayName("F02 Purge drops what is over: released, expired, answers whose retention ended")
    final void purgeDropsWhatIsOver() throws Exception {
        LeaseRef released = take(key());
        release(released);
        LeaseRef expired = take(ask(key(), brief()));
        LeaseRef answered = take(key());
        settle(answered, Settlement.done(RESULT, brief()));
        LeaseRef cooled = take(key());
        store.release(ReleaseRequest.of(cooled).withCooldown(brief()));
        elapse(brief());
        letATickPass();

        assertThat(purge()).isGreaterThanOrEqualTo(4);

        assertThat(List.of(released, expired, answered, cooled)).noneMatch(this::isThere);
    }

    @Test
    @DisplayName("F02 Purge never drops what lives: a lease, an answer, a cooldown, a place in line")
    final void purgeKeepsWhatLives() throws Exception {
        LeaseRef held = take(key());
        LeaseRef answered = settled(key());
        LeaseRef cooling = take(key());
        store.release(ReleaseRequest.of(cooling).withCooldown(LONG));
        Key awaited = standInLineForAnExpired(1).get(0).key();
        letATickPass();
        List<Key> alive = List.of(held.key(), answered.key(), cooling.key(), awaited);
        List<LeaseRecord> before = alive.stream().map(this::record).toList();

        purge();

        assertThat(alive.stream().map(this::record).toList()).isEqualTo(before);
    }

    @Test
    @DisplayName("F06 Purge keeps what has not been over for as long as was asked")
    final void purgeKeepsWhatIsRecent() throws Exception {
        LeaseRef released = take(key());
        release(released);
        letATickPass();

        store.purge(LONG, Integer.MAX_VALUE);
        assertThat(isThere(released)).isTrue();

        if (!isTimeReal()) {
            elapse(LONG.plus(traits().tick()));
            store.purge(LONG, Integer.MAX_VALUE);
            assertThat(isThere(released)).isFalse();
        }
    }

    @Test
    @DisplayName("F02 Purge drops no more than was asked, and says how many")
    final void purgeKeepsToItsLimit() throws Exception {
        letATickPass();
        purge();
        List<LeaseRef> released = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            LeaseRef lease = take(key());
            release(lease);
            released.add(lease);
        }
        letATickPass();

        assertThat(store.purge(Duration.ZERO, 2)).isEqualTo(2);
        assertThat(released.stream().filter(this::isThere)).hasSize(3);
        assertThat(purge()).isEqualTo(3);
        assertThat(purge()).isZero();
    }

    @Test
    @DisplayName("F02 Purge races those who acquire: no lease is dropped from under its holder, and fences grow")
    final void purgeRacesAcquire() throws Exception {
        int rounds = 50;
        for (int round = 0; round < rounds; round++) {
            LeaseRef old = take(key());
            release(old);
            letATickPass();

            List<Object> results = Race.of(2, racer -> () -> racer == 0 ? purge() : take(old.key()));

            LeaseRef lease = (LeaseRef) results.get(1);
            assertThat(lease.fence()).isGreaterThan(old.fence());
            assertThat(record(old.key()).ref()).isEqualTo(lease);
        }
    }
}
