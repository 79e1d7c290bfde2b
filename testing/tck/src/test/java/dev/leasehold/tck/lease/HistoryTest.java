package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.history.FenceChecker;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import dev.leasehold.tck.history.OverlapChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What listeners are told, against what the holders themselves went through. */
class HistoryTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    private final Bench bench = new Bench();
    private final History history = new History();
    private final Map<String, List<Kind>> lived = new LinkedHashMap<>();
    private final Map<String, List<Kind>> told = new LinkedHashMap<>();

    @AfterEach
    void close() {
        bench.close();
    }

    @ParameterizedTest(name = "E06 The log of events is what the holders went through, and breaks no promise: seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void logIsHistory(long seed) {
        Random random = new Random(seed);
        List<Holder> holders = List.of(new Holder("ann", random), new Holder("bob", random), new Holder("eve", random));
        for (int step = 0; step < 2_000; step++) {
            holders.get(random.nextInt(holders.size())).act();
            bench.advance(Duration.ofMillis(random.nextInt(400)));
        }
        holders.forEach(Holder::finish);
        bench.advance(TTL.multipliedBy(4));

        assertThat(told).isEqualTo(lived);
        assertThat(lived.values()).hasSizeGreaterThan(100).anyMatch(kinds -> kinds.contains(Kind.LOST));
        assertThat(FenceChecker.check(history)).isEmpty();
        assertThat(OverlapChecker.check(history)).isEmpty();
    }

    /** A process that acquires, holds and releases at random, on a bad connection. */
    private final class Holder {
        private final String name;
        private final Random random;
        private final Bench.Client client;
        private final List<CompletableFuture<Acquisition>> calls = new ArrayList<>();
        private final List<Lease> held = new ArrayList<>();

        Holder(String name, Random random) {
            this.name = name;
            this.random = random;
            this.client = bench.client(name);
            client.leases.onEvent(this::heard);
        }

        void act() {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> acquire();
                case 3, 4 -> release();
                case 5 -> client.store.next(verb(), fault());
                case 6 -> client.store.heal();
                default -> {
                    if (random.nextInt(20) == 0) {
                        client.store.cutOff();
                    }
                }
            }
        }

        private void acquire() {
            calls.removeIf(CompletableFuture::isDone);
            if (calls.size() > 3) {
                calls.remove(0).cancel(true);
            }
            LeaseOptions options =
                    random.nextBoolean() ? LeaseOptions.noWait() : LeaseOptions.waitFor(TTL.multipliedBy(2));
            CompletableFuture<Acquisition> call = client.leases.acquireAsync(KEY, options.withTtl(TTL));
            calls.add(call);
            var unused = call.whenComplete((acquisition, failure) -> {
                if (acquisition instanceof Acquisition.Acquired acquired) {
                    acquired(acquired.lease());
                }
            });
        }

        private void acquired(Lease lease) {
            held.add(lease);
            note(Kind.ACQUIRED, lease);
            lived(lease.id(), Kind.ACQUIRED);
            lease.onLost(why -> {
                note(Kind.LOST, lease);
                lived(lease.id(), Kind.LOST);
                held.remove(lease);
            });
        }

        private void release() {
            if (held.isEmpty()) {
                return;
            }
            Lease lease = held.remove(0);
            note(Kind.RELEASING, lease);
            boolean wasLost = lived.getOrDefault(lease.id(), List.of()).contains(Kind.LOST);
            var unused = lease.releaseAsync().thenAccept(outcome -> {
                boolean isLost = lived.getOrDefault(lease.id(), List.of()).contains(Kind.LOST);
                if (!wasLost && !isLost) {
                    lived(lease.id(), kind(outcome));
                }
            });
        }

        private static Kind kind(ReleaseOutcome outcome) {
            return switch (outcome) {
                case RELEASED -> Kind.RELEASED;
                case LOST -> Kind.LOST;
                case UNKNOWN -> Kind.UNKNOWN;
            };
        }

        void finish() {
            List.copyOf(calls).forEach(call -> call.cancel(true));
            client.store.heal();
            while (!held.isEmpty()) {
                release();
            }
        }

        private void heard(LeaseEvent event) {
            String id = event.source().leaseId();
            if (event instanceof LeaseEvent.Acquired) {
                told(id, Kind.ACQUIRED);
            } else if (event instanceof LeaseEvent.Released) {
                told(id, Kind.RELEASED);
            } else if (event instanceof LeaseEvent.Lost) {
                told(id, Kind.LOST);
            } else if (event instanceof LeaseEvent.CleanupWarning) {
                told(id, Kind.UNKNOWN);
            } else if (event instanceof LeaseEvent.Renewed) {
                held.stream().filter(lease -> lease.id().equals(id)).forEach(lease -> note(Kind.RENEWED, lease));
            }
        }

        private void note(Kind kind, Lease lease) {
            long now = bench.time.now().nanos();
            history.add(new HistoryEvent(
                    now,
                    kind,
                    name,
                    KEY.value(),
                    lease.id(),
                    lease.fence().value(),
                    now + lease.remaining().toNanos()));
        }

        private Verb verb() {
            return List.of(Verb.ACQUIRE, Verb.RENEW, Verb.RELEASE).get(random.nextInt(3));
        }

        private Fault fault() {
            return switch (random.nextInt(5)) {
                case 0 -> new Fault.LostRequest();
                case 1 -> new Fault.LostReply();
                case 2 -> new Fault.NoReply();
                case 3 -> new Fault.Duplicate();
                default -> new Fault.SlowReply(Duration.ofMillis(random.nextInt(8_000)));
            };
        }
    }

    private void lived(String id, Kind kind) {
        lived.computeIfAbsent(id, key -> new ArrayList<>()).add(kind);
    }

    private void told(String id, Kind kind) {
        told.computeIfAbsent(id, key -> new ArrayList<>()).add(kind);
    }
}
