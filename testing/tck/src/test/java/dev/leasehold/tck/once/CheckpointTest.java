package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Key;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.Threads;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A checkpoint under way to the store")
class CheckpointTest {
    @Test
    @DisplayName("O09 keeps no other thread of the work waiting")
    void otherThreadsGoOn() throws Exception {
        FaultyStore store = FaultyStore.inRealTime(new MemoryLeaseStore());
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            Outcome<String> outcome = Once.on(leases, Key.of("report"), RunSpec.of(Codec.utf8()))
                    .run(run -> {
                        run.checkpoint(new byte[] {1});
                        store.next(Verb.SETTLE, new Fault.SlowReply(Duration.ofSeconds(30)));
                        Threads.Running<Boolean> keeping = Threads.start(() -> {
                            run.checkpoint(new byte[] {2});
                            return true;
                        });
                        Threads.eventually("asked", () -> store.calls(Verb.SETTLE) == 2);
                        Threads.Running<byte[]> reading =
                                Threads.start(() -> run.checkpoint().orElseThrow());
                        assertThat(reading.task().get(2, TimeUnit.SECONDS)).containsExactly(1);
                        store.heal();
                        assertThat(keeping.get()).isTrue();
                        assertThat(run.checkpoint().orElseThrow()).containsExactly(2);
                        return "done";
                    });
            assertThat(outcome).isInstanceOf(Outcome.Ran.class);
        } finally {
            store.close();
        }
    }
}
