package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Lease;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Payload;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.State;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Checkpoints are numbered, so that a request that reaches the store late cannot replace a newer checkpoint. */
class CheckpointTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Lease lease = ann.acquire(KEY);

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("O02 A request for an older checkpoint that reaches the store late leaves the newer one in place")
    void lateRequestLeavesTheNewerCheckpoint() {
        ann.store.next(Verb.SETTLE, new Fault.LateRequest());
        assertThat(lease.checkpoint(Payload.of("older"))).isEqualTo(SettleResult.SETTLED);
        assertThat(lease.checkpoint(Payload.of("newer"))).isEqualTo(SettleResult.SETTLED);

        ann.store.deliverLate();

        assertThat(record().progress().payload()).isEqualTo(Payload.of("newer"));
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    @DisplayName("O02 A checkpoint that reaches the store after the answer leaves the answer in place")
    void lateRequestLeavesTheAnswer() {
        ann.store.next(Verb.SETTLE, new Fault.LateRequest());
        lease.checkpoint(Payload.of("half"));
        lease.settle(Settlement.done(Payload.of("whole"), Duration.ofDays(1)));

        ann.store.deliverLate();

        assertThat(record().state()).isEqualTo(State.DONE);
        assertThat(record().progress().payload()).isEqualTo(Payload.of("whole"));
    }

    private LeaseRecord record() {
        return bench.memory.find(KEY).orElseThrow().record();
    }
}
