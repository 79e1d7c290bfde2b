package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.LogLines;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A client that keeps history")
class KeptHistoryTest {
    private static final Duration SOON = Duration.ofMillis(100);

    private final ManualTime time = new ManualTime();
    private final MemoryLeaseStore memory = new MemoryLeaseStore(time.storeClock());
    private final FaultyStore store = FaultyStore.inManualTime(memory);
    private final Leases ann = client("ann").build();
    private final Leases bob = client("bob").build();

    private LeasesBuilder client(String name) {
        return Leases.builder(store)
                .clockwork(time)
                .random(new Random(name.hashCode()))
                .owner(Owner.of(name))
                .retaining(Micros.FOREVER)
                .keepingHistory(Duration.ofDays(30))
                .withoutLog();
    }

    @AfterEach
    void close() {
        store.heal();
        ann.close();
        bob.close();
    }

    private List<HistoryEntry> entries() {
        return memory.history()
                .orElseThrow()
                .read(HistoryRequest.of("").after(0).withLimit(1_000));
    }

    private List<HistoryKind> kinds() {
        return entries().stream().map(HistoryEntry::kind).toList();
    }

    private HistoryEntry last() {
        List<HistoryEntry> all = entries();
        return all.get(all.size() - 1);
    }

    @Test
    @DisplayName("J10 writes down who acquired and released a lease, with its fence, when it happened")
    void acquiredAndReleased() {
        long start = time.storeClock().getAsLong();
        Lease lease = ann.tryAcquire(KEY).orElseThrow();
        time.advance(Duration.ofSeconds(2));
        lease.release();
        time.advance(SOON);

        assertThat(kinds()).containsExactly(HistoryKind.ACQUIRED, HistoryKind.RELEASED);
        assertThat(entries()).allSatisfy(entry -> {
            assertThat(entry.key()).isEqualTo(KEY);
            assertThat(entry.owner()).isEqualTo(Owner.of("ann"));
            assertThat(entry.fence()).isEqualTo(lease.fence());
        });
        assertThat(entries()).extracting(HistoryEntry::atMicros).containsExactly(start, start + 2_000_000);
    }

    @Test
    @DisplayName("J10 writes down that a call was refused, and by whose lease")
    void skipped() {
        ann.tryAcquire(KEY).orElseThrow();
        time.advance(Duration.ofSeconds(3));
        assertThat(bob.tryAcquire(KEY).toOptional()).isEmpty();
        time.advance(SOON);

        assertThat(last().kind()).isEqualTo(HistoryKind.SKIPPED);
        assertThat(last().owner()).isEqualTo(Owner.of("bob"));
        assertThat(last().fence()).isNull();
        assertThat(last().reason()).startsWith("held by ann for 3.0 s");
    }

    @Test
    @DisplayName("J10 writes down that a call waited in vain")
    void waitedInVain() {
        ann.tryAcquire(KEY).orElseThrow();
        assertThat(bob.acquireAsync(KEY, LeaseOptions.waitFor(Duration.ofSeconds(4))))
                .isNotDone();
        time.advance(Duration.ofSeconds(5));

        assertThat(last().kind()).isEqualTo(HistoryKind.SKIPPED);
        assertThat(last().reason()).contains("held by ann");
    }

    @Test
    @DisplayName("J10 writes down that a lease was lost, and why")
    void lost() {
        ann.tryAcquire(KEY).orElseThrow();
        store.always(Verb.RENEW, new Fault.LostRequest());
        time.advance(TTL.plus(SOON));

        assertThat(last().kind()).isEqualTo(HistoryKind.LOST);
        assertThat(last().reason()).contains("its time ran out");
    }

    @Test
    @DisplayName("J10 writes down that a run was settled, and that a lease could not be given back")
    void settledAndNotGivenBack() {
        ann.tryAcquire(KEY).orElseThrow().settle(Settlement.done(null, TTL));
        Lease lease = bob.tryAcquire(Key.of("other")).orElseThrow();
        store.always(Verb.RELEASE, new Fault.LostRequest());
        lease.release();
        time.advance(SOON);

        assertThat(entries())
                .filteredOn(entry -> entry.kind().equals(HistoryKind.SETTLED))
                .singleElement()
                .satisfies(entry -> assertThat(entry.reason()).isEqualTo("as DONE"));
        assertThat(last().kind()).isEqualTo(HistoryKind.RELEASED);
        assertThat(last().reason()).contains("Could not release");
    }

    @Test
    @DisplayName("J11 writes many entries in one request, and none before its time")
    void batches() {
        for (int i = 0; i < 50; i++) {
            ann.tryAcquire(Key.of("k" + i)).orElseThrow().release();
        }
        assertThat(store.calls(Verb.HISTORY)).isZero();
        time.advance(SOON);
        assertThat(store.calls(Verb.HISTORY)).isEqualTo(1);
        assertThat(entries()).hasSize(100);
    }

    @Test
    @DisplayName("J11 writes what a store could not take for a while later, at the time it happened")
    void storeComesBack() {
        long start = time.storeClock().getAsLong();
        store.always(Verb.HISTORY, new Fault.LostRequest());
        ann.tryAcquire(KEY).orElseThrow().release();
        time.advance(Duration.ofSeconds(30));
        assertThat(entries()).isEmpty();
        assertThat(store.calls(Verb.HISTORY)).as("tried less and less often").isBetween(3, 6);
        store.heal();
        time.advance(Duration.ofMinutes(1));

        assertThat(entries()).hasSize(2).extracting(HistoryEntry::atMicros).containsOnly(start);
    }

    @Test
    @DisplayName("J11 drops what its queue cannot take, and says how much")
    void dropsAndSaysSo() {
        store.always(Verb.HISTORY, new Fault.LostRequest());
        for (int i = 0; i < 5_600; i++) {
            ann.tryAcquire(Key.of("k" + i)).orElseThrow().release();
        }
        time.advance(SOON);
        store.heal();
        time.advance(Duration.ofMinutes(1));

        assertThat(last().kind()).isEqualTo(HistoryKind.RELEASED);
        List<HistoryEntry> dropped =
                memory.history().orElseThrow().read(HistoryRequest.of("").only(HistoryKind.DROPPED));
        assertThat(dropped).singleElement().satisfies(entry -> {
            assertThat(entry.reason()).startsWith("1200 entries");
            assertThat(entry.key()).isEqualTo(Key.of("k5599"));
        });
    }

    @Test
    @DisplayName("J11 goes on without history while the store cannot keep any, and leases do not notice")
    void hopelessStore() {
        store.next(Verb.HISTORY, new Fault.Failure(new StoreException("There is no such table.")));
        Lease lease = ann.tryAcquire(KEY).orElseThrow();
        time.advance(Duration.ofSeconds(1));
        assertThat(lease.isValid()).isTrue();
        lease.release();
        time.advance(Duration.ofSeconds(5));

        assertThat(kinds()).containsExactly(HistoryKind.RELEASED, HistoryKind.DROPPED);
    }

    @Test
    @DisplayName("J11 says in the log that the history cannot be written, and why, once until it can")
    void saysSoOnce() {
        LogLines log = LogLines.of("dev.leasehold");
        try (log;
                Leases loud = Leases.builder(store)
                        .clockwork(time)
                        .keepingHistory(Duration.ofDays(1))
                        .build()) {
            for (int outage = 0; outage < 2; outage++) {
                store.always(Verb.HISTORY, new Fault.Failure(new StoreException("There is no such table.")));
                for (int i = 0; i < 5; i++) {
                    loud.tryAcquire(KEY).orElseThrow().release();
                    time.advance(Duration.ofMinutes(2));
                }
                assertThat(log.lines()).hasSize(outage + 1);
                store.heal();
                loud.tryAcquire(KEY).orElseThrow().release();
                time.advance(Duration.ofMinutes(2));
            }
        }
        assertThat(log.lines()).allMatch(line -> line.contains("There is no such table."));
    }

    @Test
    @DisplayName("J11 holds up neither leases nor its own end for long if the store hangs")
    void hangingStore() {
        try (FaultyStore hanging = FaultyStore.inRealTime(new MemoryLeaseStore())) {
            hanging.always(Verb.HISTORY, new Fault.NoReply());
            long start = System.nanoTime();
            try (Leases leases = Leases.builder(hanging)
                    .keepingHistory(Duration.ofDays(1))
                    .withoutLog()
                    .build()) {
                for (int i = 0; i < 1_000; i++) {
                    leases.tryAcquire(KEY).orElseThrow().release();
                }
                assertThat(hanging.calls(Verb.RELEASE)).isEqualTo(1_000);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    @DisplayName("J11 writes the last entries when it is closed")
    void closing() {
        ann.tryAcquire(KEY).orElseThrow();
        ann.close();
        assertThat(kinds()).containsExactly(HistoryKind.ACQUIRED, HistoryKind.RELEASED);
    }

    @Test
    @DisplayName("J12 forgets entries that are older than asked")
    void forgets() {
        try (Leases cleaner =
                client("cleaner").keepingHistory(Duration.ofDays(2)).build()) {
            cleaner.tryAcquire(KEY).orElseThrow().release();
            time.advance(Duration.ofDays(1));
            assertThat(entries()).hasSize(2);
            time.advance(Duration.ofDays(1).plusHours(2));
            assertThat(entries()).isEmpty();
        }
    }

    @Test
    @DisplayName("J12 is asked for: by default nothing is written, nor asked of a store that keeps none")
    void offByDefault() {
        FaultyStore counted = FaultyStore.inManualTime(memory);
        try (Leases plain = Leases.builder(counted).clockwork(time).build()) {
            plain.tryAcquire(KEY).orElseThrow().release();
            time.advance(Duration.ofHours(3));
        }
        assertThat(counted.calls(Verb.HISTORY)).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> client("x").keepingHistory(Duration.ZERO));
        assertThatExceptionOfType(StoreUnsupportedException.class)
                .isThrownBy(() -> Leases.builder(OtherHistory.none(memory))
                        .keepingHistory(Duration.ofDays(1))
                        .build())
                .withMessageContaining("memory")
                .withMessageContaining("no history");
    }
}
