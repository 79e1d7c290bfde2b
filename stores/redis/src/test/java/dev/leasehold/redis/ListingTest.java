package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.Config;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A walk over the keys of a Redis that others use too")
class ListingTest {
    private final TestRedis redis = TestRedis.own(Config.relaxed());

    @AfterEach
    void close() {
        redis.close();
    }

    private RedisLeaseStore open(String prefix) {
        return redis.builder().prefix(prefix).open();
    }

    /** A record that nobody can need any more. */
    private static Key free(RedisLeaseStore store) {
        LeaseRef lease = Ask.take(store, Ask.key());
        store.release(ReleaseRequest.of(lease));
        Threads.pause(Duration.ofMillis(1)); // Its fence is the time.
        return lease.key();
    }

    @Test
    @DisplayName("A10 lists and purges what has its own prefix, whatever characters are in it, and nothing else")
    void onlyOurs() {
        redis.ask("SET", "x*[a]?:text", "not a record");
        redis.ask("HSET", "xyz", "exp", "0", "fence", "0");
        redis.ask("HSET", "x*[a]?:\tother", "exp", "0", "fence", "0");
        try (RedisLeaseStore ours = open("x*[a]?:");
                RedisLeaseStore theirs = open("xyza!:")) {
            Key own = free(ours);
            Key foreign = free(theirs);
            assertThat(ours.list(ListRequest.of("")).records())
                    .extracting(LeaseSnapshot::key)
                    .containsExactly(own);
            assertThat(ours.purge(Duration.ZERO, 100)).isEqualTo(1);
            assertThat(ours.find(own)).isEmpty();
            assertThat(theirs.find(foreign)).isPresent();
            assertThat(redis.ask("EXISTS", "x*[a]?:text", "xyz", "x*[a]?:\tother"))
                    .isEqualTo("3");
        }
    }

    @Test
    @DisplayName("A10 goes in small steps, between which others are served")
    void smallSteps() {
        redis.ask("DEBUG", "POPULATE", "20000", "foreign");
        try (RedisLeaseStore store = open(redis.prefix)) {
            Key own = free(store);
            redis.ask("CONFIG", "RESETSTAT");
            assertThat(store.list(ListRequest.of("")).records())
                    .extracting(LeaseSnapshot::key)
                    .containsExactly(own);
            assertThat(scans()).isBetween(20, 40);
            assertThat(store.purge(Duration.ZERO, 100)).isEqualTo(1);
            assertThat(scans()).isBetween(40, 80);
            assertThat(redis.ask("DBSIZE")).isEqualTo("20000");
        }
    }

    private int scans() {
        return Integer.parseInt(redis.info("cmdstat_scan").replaceAll("calls=(\\d+),.*", "$1"));
    }
}
