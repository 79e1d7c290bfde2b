package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.ForcedRelease;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A forced release")
class ForcedReleaseTest {
    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client op = bench.client("op");

    @AfterEach
    void close() {
        bench.close();
    }

    private ForcedRelease force(Fence seen) {
        return op.leases.forceRelease(KEY, seen, "olga", "It hangs.");
    }

    /** Something happens while its first note is being written. */
    private static final class SlowHistory implements History {
        private final History history;
        private @Nullable Runnable meanwhile;

        SlowHistory(History history, Runnable meanwhile) {
            this.history = history;
            this.meanwhile = meanwhile;
        }

        @Override
        public void append(List<HistoryNote> notes) {
            history.append(notes);
            Runnable once = meanwhile;
            meanwhile = null;
            if (once != null) {
                once.run();
            }
        }

        @Override
        public List<HistoryEntry> read(HistoryRequest request) {
            return history.read(request);
        }

        @Override
        public int forget(Duration olderThan, int limit) {
            return history.forget(olderThan, limit);
        }
    }

    private List<HistoryEntry> entries() {
        return bench.memory.history().orElseThrow().read(HistoryRequest.of(KEY).after(0));
    }

    private List<HistoryKind> kinds() {
        return entries().stream().map(HistoryEntry::kind).toList();
    }

    @Test
    @DisplayName("L10 frees the key, the next fence is larger, and the holder loses its lease at the next renewal")
    void freesTheKey() {
        Lease lease = ann.acquire(KEY);

        assertThat(force(lease.fence()))
                .isInstanceOfSatisfying(
                        ForcedRelease.Released.class,
                        released -> assertThat(released.before().record().ref()).isEqualTo(lease.ref()));

        Lease next = op.acquire(KEY);
        assertThat(next.fence()).isGreaterThan(lease.fence());
        bench.advance(TTL.dividedBy(2));
        assertThat(lease.state()).isEqualTo(LeaseState.LOST);
        assertThat(ann.told()).endsWith("lock:lost");
        assertThat(next.isValid()).isTrue();
    }

    @Test
    @DisplayName("L10 leaves an entry: whose lease it was, who ended it and why")
    void leavesAnEntry() {
        Lease lease = ann.acquire(KEY);
        force(lease.fence());

        assertThat(entries()).singleElement().satisfies(entry -> {
            assertThat(entry.kind()).isEqualTo(HistoryKind.FORCED);
            assertThat(entry.owner()).isEqualTo(Owner.of("ann"));
            assertThat(entry.fence()).isEqualTo(lease.fence());
            assertThat(entry.actor()).isEqualTo("olga");
            assertThat(entry.reason()).isEqualTo("It hangs.");
        });
    }

    @Test
    @DisplayName("L10 hands the lease to the first in line")
    void handsOver() {
        Lease lease = ann.acquire(KEY);
        CompletableFuture<Acquisition> waiting = op.await(KEY, Duration.ofMinutes(1));
        force(lease.fence());
        assertThat(waiting).isCompletedWithValueMatching(it -> it instanceof Acquisition.Acquired);
    }

    @Test
    @DisplayName("L10 of a lease that changed hands since it was seen does nothing, and shows the new one")
    void changed() {
        Lease first = ann.acquire(KEY);
        first.release();
        Lease second = ann.acquire(KEY);

        assertThat(force(first.fence()))
                .isInstanceOfSatisfying(
                        ForcedRelease.Changed.class,
                        changed -> assertThat(changed.found().record().ref()).isEqualTo(second.ref()));
        assertThat(second.isValid()).isTrue();
        assertThat(bench.isHeld(KEY)).isTrue();
        assertThat(entries()).isEmpty();
    }

    @Test
    @DisplayName("L10 of what nobody holds does nothing: unknown, released, settled")
    void notHeld() {
        assertThat(force(Fence.of(1))).isEqualTo(new ForcedRelease.NotHeld());
        Lease released = ann.acquire(KEY);
        released.release();
        assertThat(force(released.fence())).isEqualTo(new ForcedRelease.NotHeld());
        Lease settled = ann.acquire(KEY);
        settled.settle(Settlement.done(null, TTL));
        assertThat(force(settled.fence())).isEqualTo(new ForcedRelease.NotHeld());
        assertThat(bench.memory.find(KEY).orElseThrow().isSettled()).isTrue();
        assertThat(entries()).isEmpty();
    }

    @Test
    @DisplayName("L10 that comes a moment too late says so in a second entry")
    void inVain() {
        Fence seen = bench.deadHolder(KEY, TTL);
        History real = bench.memory.history().orElseThrow();
        List<Lease> later = new ArrayList<>();
        History slow = new SlowHistory(real, () -> {
            // Between the look and the release, the lease expires and is taken over.
            bench.advance(TTL);
            later.add(op.acquire(KEY));
        });
        Bench.Client late = bench.client("late", bench.time, new OtherHistory(bench.memory, Optional.of(slow)));

        assertThat(late.leases.forceRelease(KEY, seen, "olga", "It hangs.")).isInstanceOf(ForcedRelease.Changed.class);

        assertThat(later).allMatch(Lease::isValid);
        assertThat(kinds()).containsExactly(HistoryKind.FORCED, HistoryKind.IN_VAIN);
        assertThat(entries()).allSatisfy(entry -> {
            assertThat(entry.fence()).isEqualTo(seen);
            assertThat(entry.actor()).isEqualTo("olga");
        });
    }

    @Test
    @DisplayName("L10 does not happen if its entry cannot be written")
    void noEntryNoRelease() {
        Lease lease = ann.acquire(KEY);
        op.store.always(Verb.HISTORY, new Fault.LostRequest());
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> force(lease.fence()));
        assertThat(bench.isHeld(KEY)).isTrue();
        assertThat(kinds()).isEmpty();
    }

    @Test
    @DisplayName("L10 whose reply was lost can be asked for again")
    void replyLost() {
        Lease lease = ann.acquire(KEY);
        op.store.next(Verb.RELEASE, new Fault.LostReply());
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> force(lease.fence()));
        assertThat(force(lease.fence())).isEqualTo(new ForcedRelease.NotHeld());
        assertThat(kinds()).containsExactly(HistoryKind.FORCED);
    }

    @Test
    @DisplayName("L10 keeps how far a run got")
    void keepsTheCheckpoint() {
        Lease lease = ann.acquire(KEY, LeaseOptions.noWait().forRun());
        lease.checkpoint(Payload.of("half".getBytes(StandardCharsets.UTF_8)));
        force(lease.fence());

        Lease next = op.acquire(KEY, LeaseOptions.noWait().forRun());
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(next.checkpoint()).isPresent();
    }

    @Test
    @DisplayName("L10 needs a reason, a name, and a store with a history")
    void needsReasonNameAndHistory() {
        Lease lease = ann.acquire(KEY);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> op.leases.forceRelease(KEY, lease.fence(), "olga", " "))
                .withMessageContaining("report");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> op.leases.forceRelease(KEY, lease.fence(), "", "It hangs."));
        Bench.Client elsewhere = bench.client("x", bench.time, OtherHistory.none(bench.memory));
        assertThatExceptionOfType(StoreUnsupportedException.class)
                .isThrownBy(() -> elsewhere.leases.forceRelease(KEY, lease.fence(), "olga", "It hangs."));
        assertThat(bench.isHeld(KEY)).isTrue();
    }
}
