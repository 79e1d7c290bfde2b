package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A faulty store in real time")
class FaultyStoreTest {
    @Test
    @Timeout(10)
    @DisplayName("lets slow replies arrive when it is healed")
    void healed() throws Exception {
        FaultyStore store = FaultyStore.inRealTime(new MemoryLeaseStore());
        store.always(Verb.FIND, new Fault.SlowReply(Duration.ofHours(1)));
        CompletableFuture<Optional<LeaseSnapshot>> call =
                CompletableFuture.supplyAsync(() -> store.find(Key.of("key")));
        while (store.struck().isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(call).isNotDone();
        store.heal();
        assertThat(call.get()).isEmpty();
    }
}
