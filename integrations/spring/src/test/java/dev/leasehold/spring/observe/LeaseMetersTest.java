package dev.leasehold.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The meters of a client")
@Timeout(60)
class LeaseMetersTest {
    private final MemoryLeaseStore store = new MemoryLeaseStore();
    private final Leases leases = Leases.builder(store).listenersFirst().build();
    private final Leases other = Leases.on(store);
    private final LockNames names = new LockNames(10);
    private final LeaseMeters meters = new LeaseMeters(names);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @BeforeEach
    void bind() {
        names.add("nightly");
        names.add("sync/*");
        leases.onEvent(meters);
        meters.bindTo(registry);
    }

    @AfterEach
    void close() {
        leases.close();
        other.close();
    }

    private double count(String meter, String name, String... tags) {
        return registry.get(meter).tag("lock.name", name).tags(tags).counter().count();
    }

    private long calls(String name, String outcome) {
        return registry.get("leasehold.acquire")
                .tag("lock.name", name)
                .tag("outcome", outcome)
                .timer()
                .count();
    }

    private double held(String name) {
        return registry.get("leasehold.held").tag("lock.name", name).gauge().value();
    }

    @Test
    @DisplayName("are there at zero as soon as a name is")
    void registered() {
        assertThat(calls("sync/*", "busy")).isZero();
        assertThat(count("leasehold.lost", "nightly", "cause", "unreachable")).isZero();
        names.add("late");
        assertThat(held("late")).isZero();
        assertThat(held("other")).isZero();
    }

    @Test
    @DisplayName("count what is acquired, held and given back, by name and never by key")
    void holds() throws Exception {
        Lease first = leases.tryAcquire("sync/food").orElseThrow();
        Lease second = leases.tryAcquire("sync/drink").orElseThrow();
        Lease third = leases.tryAcquire("secret-42").orElseThrow();
        assertThat(calls("sync/*", "acquired")).isEqualTo(2);
        assertThat(calls("other", "acquired")).isEqualTo(1);
        assertThat(held("sync/*")).isEqualTo(2);
        assertThat(registry.get("leasehold.run.active")
                        .tag("lock.name", "sync/*")
                        .longTaskTimer()
                        .activeTasks())
                .isEqualTo(2);
        Thread.sleep(20);
        first.release();
        second.release();
        third.release();
        assertThat(held("sync/*")).isZero();
        assertThat(registry.get("leasehold.hold")
                        .tag("lock.name", "sync/*")
                        .timer()
                        .count())
                .isEqualTo(2);
        assertThat(registry.get("leasehold.hold")
                        .tag("lock.name", "sync/*")
                        .timer()
                        .totalTime(TimeUnit.MILLISECONDS))
                .isGreaterThanOrEqualTo(30);
        List<String> all = registry.getMeters().stream()
                .map(Meter::getId)
                .map(Meter.Id::toString)
                .toList();
        assertThat(all).noneMatch(id -> id.contains("food") || id.contains("42"));
    }

    @Test
    @DisplayName("count who was busy, at once or after a wait, and how long the winners waited")
    void waits() throws Exception {
        Lease held = other.tryAcquire("nightly").orElseThrow();
        assertThat(leases.tryAcquire("nightly").toOptional()).isEmpty();
        assertThat(leases.acquire("nightly", LeaseOptions.waitFor(Duration.ofMillis(100)))
                        .toOptional())
                .isEmpty();
        assertThat(calls("nightly", "busy")).isEqualTo(2);
        assertThat(calls("nightly", "error")).isZero();
        assertThat(count("leasehold.skipped", "nightly")).isEqualTo(2);
        var waiting = leases.acquireAsync("nightly", LeaseOptions.waitFor(Duration.ofSeconds(30)));
        Thread.sleep(200);
        held.release();
        waiting.get().orElseThrow().release();
        assertThat(registry.get("leasehold.wait")
                        .tag("lock.name", "nightly")
                        .timer()
                        .max(TimeUnit.MILLISECONDS))
                .isGreaterThanOrEqualTo(150);
    }

    @Test
    @DisplayName("count renewals, the share of the TTL that was over, and leases that were taken away")
    void renewals() throws Exception {
        Lease lease = leases.tryAcquire("nightly", LeaseOptions.defaults().withTtl(Duration.ofSeconds(2)))
                .orElseThrow();
        Thread.sleep(300);
        lease.renew();
        assertThat(count("leasehold.renewals", "nightly", "outcome", "renewed")).isEqualTo(1);
        assertThat(registry.get("leasehold.ttl.used")
                        .tag("lock.name", "nightly")
                        .summary()
                        .max())
                .isBetween(0.1, 0.9);
        LeaseRef ref = lease.ref();
        store.release(ReleaseRequest.of(ref));
        while (held("nightly") > 0) {
            Thread.sleep(10);
        }
        assertThat(count("leasehold.lost", "nightly", "cause", "forced")).isEqualTo(1);
        assertThat(count("leasehold.lost", "nightly", "cause", "expired")).isZero();
    }

    @Test
    @DisplayName("tell a lease that its holder gave up from one that was taken")
    void expired() throws Exception {
        Duration life = Duration.ofMillis(200);
        leases.tryAcquire("nightly", LeaseOptions.defaults().withTtl(life).withLongestLife(life))
                .orElseThrow();
        while (held("nightly") > 0) {
            Thread.sleep(10);
        }
        assertThat(count("leasehold.lost", "nightly", "cause", "expired")).isEqualTo(1);
    }
}
