package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Work;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That the check of hostile runs can fail, and says where. */
@DisplayName("The check of hostile runs")
class PlantedRunEndTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    /** A run whose end stands outside any guard: what the codec, the policy or an error's text throws leaves it held. */
    @SuppressWarnings("NullAway") // The work is given no run: those that need one fail, and that is judged as well.
    private static Outcome<String> unguarded(HostileRuns.Scene scene, Work<String> work) throws Exception {
        LeaseOptions options =
                LeaseOptions.noWait().withTtl(scene.spec().leaseTtl()).forRun();
        Lease lease = scene.client().tryAcquire(scene.key(), options).orElseThrow();
        String value;
        try {
            value = lease.<String, Exception>use(held -> String.valueOf(work.run(null)));
        } catch (Throwable error) {
            switch (scene.spec().onFailure().judge(error, lease.attempt())) {
                case CLEAR, RESET -> lease.releaseForRetry();
                case TERMINAL -> lease.settle(Settlement.failed(Payload.of(error.getMessage()), TTL));
                case HOLD -> lease.settle(Settlement.onHold(Payload.of(error.toString())));
            }
            throw error;
        }
        lease.settle(Settlement.done(Payload.of(scene.spec().codec().encode(value)), TTL));
        return new Outcome.Ran<>(value, lease.fence(), lease.attempt());
    }

    private static List<String> found(HostileRuns.Runner runner) throws Exception {
        List<String> found = new ArrayList<>();
        for (HostileRuns.Case hostile : HostileRuns.all()) {
            ManualTime time = new ManualTime();
            MemoryLeaseStore store = new MemoryLeaseStore(time.storeClock());
            Leases client = Leases.builder(store).clockwork(time).withoutLog().build();
            Leases other = Leases.builder(store).clockwork(time).withoutLog().build();
            try {
                HostileRuns.check(hostile, runner, client, other, time::advance, TTL);
            } catch (AssertionError e) {
                found.add(hostile.name());
            }
        }
        return found;
    }

    @Test
    @DisplayName("passes runs that end as they should")
    void rightRunsPass() throws Exception {
        assertThat(found((scene, work) -> scene.once().run(work))).isEmpty();
    }

    @Test
    @DisplayName("notices runs that are held for ever because their end throws")
    void unguardedEndIsNoticed() throws Exception {
        assertThat(found(PlantedRunEndTest::unguarded))
                .contains(
                        "codec throws an Error",
                        "codec returns null",
                        "policy returns null",
                        "policy throws an Error",
                        "toString throws, judged HOLD");
    }
}
