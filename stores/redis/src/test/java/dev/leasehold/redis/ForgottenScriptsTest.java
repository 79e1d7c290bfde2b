package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Race;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A server that has forgotten the scripts")
class ForgottenScriptsTest {
    private final TestRedis redis = TestRedis.own(Config.relaxed());
    private final RedisLeaseStore store = redis.builder().open();

    @AfterEach
    void close() {
        store.close();
        redis.close();
    }

    private void forget() {
        redis.ask("SCRIPT", "FLUSH");
    }

    @Test
    @DisplayName("A05 is told them again, in every verb, and each does its work once")
    void everyVerb() {
        LeaseRef lease = Ask.take(store, Ask.key());
        LeaseRef run = Ask.take(store, Ask.key());
        forget();
        Ask.take(store, Ask.key());
        forget();
        assertThat(store.renew(List.of(lease, run))).hasSize(2);
        forget();
        assertThat(store.release(ReleaseRequest.of(lease))).isEqualTo(ReleaseResult.RELEASED);
        forget();
        assertThat(store.settle(SettleRequest.of(run, Settlement.done(null, Ask.LONG))))
                .isEqualTo(SettleResult.SETTLED);
        forget();
        assertThat(store.find(lease.key())).isPresent();
        forget();
        assertThat(store.list(ListRequest.of("")).records()).hasSize(3);
        forget();
        assertThat(store.purge(Duration.ZERO, 10)).isEqualTo(1);
    }

    @Test
    @DisplayName("A05 is told each of them once, however many calls for it go together")
    void once() {
        List<LeaseRef> leases =
                Stream.generate(() -> Ask.take(store, Ask.key())).limit(50).toList();
        forget();
        redis.ask("CONFIG", "RESETSTAT");
        assertThat(store.list(ListRequest.of("")).records())
                .extracting(LeaseSnapshot::key)
                .containsExactlyInAnyOrderElementsOf(
                        leases.stream().map(LeaseRef::key).toList());
        assertThat(redis.info("cmdstat_eval")).startsWith("calls=1,");
        assertThat(redis.info("cmdstat_evalsha")).startsWith("calls=" + (50 + 49) + ",");
    }

    @Test
    @DisplayName("J01 is told them again by the history")
    void history() {
        Key key = Ask.key();
        forget();
        store.history().orElseThrow().append(List.of(HistoryNote.of(key, HistoryKind.LOST)));
        forget();
        assertThat(store.history().orElseThrow().read(HistoryRequest.of(key))).hasSize(1);
    }

    @Test
    @DisplayName("A03 is told them by many at once, and grants to one")
    void manyAtOnce() throws Exception {
        for (int round = 0; round < 5; round++) {
            Key key = Ask.key();
            forget();
            List<Boolean> granted = Race.of(32, racer -> () -> Ask.isGranted(store.acquire(Ask.of(key))));
            assertThat(granted).containsOnlyOnce(true);
        }
    }
}
