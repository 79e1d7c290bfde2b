package dev.leasehold.tck.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.once.FailurePolicy;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.ResultException;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.RecordTraits;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.ForwardingStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A run on a record of the user's own")
class RecordReadBackTest {
    private static final Key KEY = Key.of("42");
    private static final Fields WRITTEN = Fields.of("pages", 7);
    private static final Fields KEPT = WRITTEN.and("kept", "by the store");
    private static final RunSpec<Fields> SPEC = RunSpec.of(RecordCodec.fields()).withFailurePolicy(FailurePolicy.CLEAR);
    private static final RunSpec<Fields> UNREADABLE = RunSpec.of(RecordCodec.<Fields>of(
                    record -> {
                        throw new IllegalStateException("not a report");
                    },
                    value -> value))
            .withFailurePolicy(FailurePolicy.CLEAR);

    private final Reports store = new Reports();
    private final Leases leases = Leases.builder(store).withoutLog().build();

    /** Records that have a field more once they are settled, as a table with defaults does. */
    private static final class Reports extends ForwardingStore {
        private boolean isAway;

        Reports() {
            super(new MemoryLeaseStore());
        }

        @Override
        public Optional<RecordTraits> recordTraits() {
            return Optional.of(new RecordTraits(
                    "reports", "", null, null, null, Set.of("pages"), Set.of(RecordTraits.Ability.RUN)));
        }

        @Override
        public SettleResult settle(SettleRequest request) {
            return super.settle(request).isSettled() ? SettleResult.settled(KEPT) : SettleResult.SUPERSEDED;
        }

        @Override
        public Optional<LeaseSnapshot> find(Key key) {
            if (isAway) {
                throw new StoreUnavailableException("down");
            }
            return super.find(key).map(found -> new LeaseSnapshot(found.record(), found.nowMicros(), KEPT));
        }
    }

    @AfterEach
    void close() {
        leases.close();
    }

    @Test
    @DisplayName("throws ResultException if its codec cannot read what was recorded")
    void unreadable() {
        assertThatThrownBy(() -> Once.on(leases, KEY, UNREADABLE).run(run -> WRITTEN))
                .isInstanceOf(ResultException.class)
                .hasMessageContaining("not a report");
        assertThat(Once.on(leases, Key.of("43"), UNREADABLE)
                        .runAsync(run -> CompletableFuture.completedFuture(WRITTEN)))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(ResultException.class);
    }

    private Outcome<Fields> runInTransaction(boolean isReplyLost) throws Exception {
        return Once.on(leases, KEY, SPEC).run(run -> {
            store.settle(run.settling(WRITTEN));
            if (isReplyLost) {
                throw new IOException("the reply to the commit was lost");
            }
            run.recorded();
            return WRITTEN;
        });
    }

    @Test
    @DisplayName("gives the record as it was read back after a transaction of the work's own")
    void readBack() throws Exception {
        assertThat(runInTransaction(false).toOptional()).contains(KEPT);
    }

    @Test
    @DisplayName("gives it also if the reply to the commit was lost")
    void readBackAfterALostReply() throws Exception {
        assertThat(runInTransaction(true).toOptional()).contains(KEPT);
    }

    @Test
    @DisplayName("gives the work's value if the store cannot be asked after a transaction of the work's own")
    void storeIsAway() throws Exception {
        store.isAway = true;
        assertThat(runInTransaction(false).toOptional()).contains(WRITTEN);
    }
}
