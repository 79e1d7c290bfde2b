package dev.leasehold.tck.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Micros;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Housekeeping")
class HousekeepingTest {
    private final ManualTime time = new ManualTime();
    private final FaultyStore store = FaultyStore.inManualTime(new MemoryLeaseStore(time.storeClock()));

    private Leases client(Duration retained) {
        return Leases.builder(store)
                .clockwork(time)
                .random(new Random(1))
                .retaining(retained)
                .build();
    }

    private int records() {
        return store.list(ListRequest.of("").withLimit(1_000)).records().size();
    }

    private static void use(Leases leases, int keys) {
        for (int i = 0; i < keys; i++) {
            leases.tryAcquire(Key.of("k" + i)).ifAcquired(Lease::release);
        }
    }

    @Test
    @DisplayName("purges released keys once they were kept as long as asked, and a full batch is followed by the next")
    void purges() {
        try (Leases leases = client(Duration.ofHours(5))) {
            use(leases, 700);
            Lease held = leases.tryAcquire(Key.of("held")).orElseThrow();
            time.advance(Duration.ofHours(4));
            assertThat(records()).isEqualTo(701);
            time.advance(Duration.ofHours(3));
            assertThat(records()).isEqualTo(1);
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    @DisplayName("leaves everything alone if told so")
    void never() {
        try (Leases leases = client(Micros.FOREVER)) {
            use(leases, 1);
            time.advance(Duration.ofDays(30));
            assertThat(records()).isEqualTo(1);
            assertThat(store.calls(FaultyStore.Verb.PURGE)).isZero();
        }
    }

    @Test
    @DisplayName("goes on after a store that did not answer")
    void storeFails() {
        try (Leases leases = client(Duration.ofHours(1))) {
            use(leases, 1);
            store.cutOff();
            time.advance(Duration.ofHours(4));
            store.heal();
            time.advance(Duration.ofHours(2));
            assertThat(records()).isZero();
        }
    }
}
