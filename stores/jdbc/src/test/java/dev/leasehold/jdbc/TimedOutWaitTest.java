package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.Key;
import dev.leasehold.store.State;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("A wait that ends at the moment of the release")
class TimedOutWaitTest {
    private static final int ROUNDS = 60;
    private static final Duration PATIENCE = Duration.ofMillis(60);

    @Test
    @DisplayName("leaves the key open, whoever came first")
    void leavesNothingHeld() throws Exception {
        try (TestDatabase database = TestDatabase.postgres(18);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                JdbcLeaseStore other = JdbcLeaseStore.of(database.source());
                Leases holder = Leases.on(store);
                Leases waiter = Leases.on(other)) {
            Key key = Ask.key();
            int timedOut = 0;
            for (int round = 0; round < ROUNDS; round++) {
                Lease lease = holder.acquire(key, LeaseOptions.waitFor(Duration.ofSeconds(5)))
                        .orElseThrow();
                Threads.Running<Acquisition> waiting =
                        Threads.start(() -> waiter.acquire(key, LeaseOptions.waitFor(PATIENCE)));
                Threads.pause(PATIENCE.plusMillis(round % 12 - 6));
                lease.release();
                Acquisition answer = waiting.get();
                timedOut += answer instanceof Acquisition.Refused ? 1 : 0;
                answer.ifAcquired(Lease::release);
                // A lease that nobody holds any more, and that merely expired, would stay HELD.
                Threads.eventually(
                        "free after round " + round,
                        () -> store.find(key).orElseThrow().record().state() == State.FREE);
            }
            assertThat(timedOut)
                    .as("waits that timed out, or nothing was tested")
                    .isPositive();
        }
    }
}
