package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Codec;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.RunView;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.ManualTime;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A run whose runner went silent")
class SilentRunTest {
    private static final RunSpec<String> SPEC = RunSpec.of(Codec.utf8()).withOnStale(OnStale.HOLD);

    private final ManualTime time = new ManualTime();
    private final MemoryLeaseStore store = new MemoryLeaseStore(time.storeClock());

    private Once<String> once(LeaseStore view) {
        Leases leases = Leases.builder(view).clockwork(time).withoutLog().build();
        return Once.on(leases, Key.of("report"), SPEC);
    }

    private void failOnce() {
        IOException error = new IOException("the network");
        assertThatThrownBy(() -> once(store).run(run -> {
                    throw error;
                }))
                .isSameAs(error);
    }

    private void goSilent() {
        FaultyStore dying = FaultyStore.inManualTime(store);
        CompletableFuture<Outcome<String>> unheard = once(dying).runAsync(run -> {
            dying.cutOff();
            return new CompletableFuture<>();
        });
        time.advance(LeaseOptions.DEFAULT_TTL);
        assertThat(unheard).isNotDone();
    }

    @Test
    @DisplayName("O07 goes on hold also after more attempts than its record remembers")
    void goesOnHoldAfterMany() throws Exception {
        for (int attempt = 1; attempt <= 20; attempt++) {
            failOnce();
        }
        goSilent();
        assertThat(once(store).peek().standing()).isEqualTo(RunView.Standing.STALE);

        assertThat(once(store).run(run -> "again")).isInstanceOf(Outcome.OnHold.class);
    }
}
