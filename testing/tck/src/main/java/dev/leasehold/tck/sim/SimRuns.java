package dev.leasehold.tck.sim;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Payload;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Clients that do work once instead of holding a lock, and what must hold for it: at most one answer is recorded per
 * retention, everybody is given that one, and nobody ends another's run.
 */
final class SimRuns {
    private static final Duration RETENTION = Duration.ofSeconds(20);
    private static final List<String> REQUESTS = List.of("A", "A", "A", "A", "B");

    private final World world;
    private final Map<Fence, String> valueOfFence = new HashMap<>();
    private final Map<Fence, Payload> answerOfFence = new HashMap<>();
    private final Set<Fence> begun = new HashSet<>();
    private @Nullable LeaseRecord seen;
    private long values;

    SimRuns(World world) {
        this.world = world;
    }

    /** What the work throws when it fails. */
    static final class SimulatedFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        SimulatedFailure() {
            super("simulated", null, false, false);
        }
    }

    void call(SimClient.Life life, Leases leases) {
        String request = REQUESTS.get(world.random.nextInt(REQUESTS.size()));
        RunSpec<String> spec =
                RunSpec.of(Codec.utf8()).withLeaseTtl(SimClient.TTL).withRetention(RETENTION);
        if (world.isCalm()) {
            spec = spec.waitingFor(Duration.ofSeconds(60));
        } else if (world.random.nextBoolean()) {
            spec = spec.waitingFor(Duration.ofNanos(world.millis(1_000, 40_000)));
        }
        Once<String> once = Once.on(leases, WireRequest.KEY, spec).of(Fingerprint.of(request));
        var unused = once.runAsync(run -> work(life, run, request))
                .whenComplete((outcome, error) -> ended(life, request, outcome, error));
    }

    /** Takes a while, and then gives a value that nobody else gives, or fails. */
    private CompletableFuture<String> work(SimClient.Life life, Run<String> run, String request) {
        if (!begun.add(run.fence())) {
            world.violated("S7", life.name() + " began a second run with fence " + run.fence());
        }
        life.started(run);
        CompletableFuture<String> result = new CompletableFuture<>();
        boolean isFailing = world.random.nextInt(4) == 0;
        String value = request + values++;
        long time = world.millis(5, world.isCalm() ? 500 : 25_000);
        world.after(
                time,
                () -> life.whenAwake(() -> {
                    if (isFailing) {
                        result.completeExceptionally(new SimulatedFailure());
                    } else {
                        valueOfFence.put(run.fence(), value);
                        result.complete(value);
                    }
                }));
        return result;
    }

    private void ended(
            SimClient.Life life, String request, @Nullable Outcome<String> outcome, @Nullable Throwable error) {
        life.started(null);
        if (outcome != null) {
            world.coverage.count("outcome " + outcome.getClass().getSimpleName());
            check(life, request, outcome);
        } else {
            Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            boolean isOurs = cause instanceof SimulatedFailure;
            world.coverage.count(isOurs ? "outcome cleared" : "outcome unknown");
        }
        if (outcome != null && outcome.toOptional().isPresent()) {
            life.answered();
        }
        life.idle();
    }

    private void check(SimClient.Life life, String request, Outcome<String> outcome) {
        if (outcome instanceof Outcome.Ran<String> ran && !answerOfFence.containsKey(ran.fence())) {
            world.violated("S7", life.name() + " was told that its answer is recorded, and it is not");
        }
        if (outcome instanceof Outcome.Replayed<String> replayed) {
            String value = String.valueOf(replayed.value());
            if (!value.equals(valueOfFence.get(replayed.fence()))) {
                world.violated(
                        "S8",
                        life.name() + " was given " + value + ", which run " + replayed.fence() + " did not give");
            }
            if (!value.startsWith(request)) {
                world.violated("S8", life.name() + " asked for " + request + " and was given " + value);
            }
        }
    }

    /**
     * Something was done to the store: looks at what changed.
     *
     * @param by whose request it was; {@code null} if nobody's
     */
    void changed(@Nullable Nonce by) {
        LeaseSnapshot found = world.store.find(WireRequest.KEY).orElse(null);
        LeaseRecord record = found == null ? null : found.record();
        LeaseRecord before = seen;
        seen = record;
        if (before != null) {
            checkChange(before, record, by);
        }
        if (record != null && record.state() == State.DONE) {
            checkAnswer(record);
        }
    }

    private void checkChange(LeaseRecord before, @Nullable LeaseRecord record, @Nullable Nonce by) {
        boolean isOver = before.isOver(world.storeMicros());
        boolean isSame = record != null && before.fence().equals(record.fence()) && before.state() == record.state();
        if (isOver || isSame || before.tenure() == null) {
            return;
        }
        if (before.state() == State.DONE) {
            world.violated("S7", "the answer of run " + before.fence() + " is gone before its time");
        } else if (before.state() == State.HELD && !before.tenure().nonce().equals(by) && !isFromTheFuture(before)) {
            world.violated("S4", "the run " + before.fence() + " was ended by " + (by == null ? "nobody" : by));
        }
    }

    /** The store's clock was set back, and somebody watched the holder for long enough (C03). */
    private boolean isFromTheFuture(LeaseRecord held) {
        long left = held.expiryMicros() - world.storeMicros();
        return left > SimClient.TTL.toNanos() / 1_000;
    }

    private void checkAnswer(LeaseRecord record) {
        Payload answer = record.progress().payload();
        if (answer == null) {
            world.violated("S7", "run " + record.fence() + " has no answer");
            return;
        }
        Payload known = answerOfFence.putIfAbsent(record.fence(), answer);
        if (known != null && !known.equals(answer)) {
            world.violated("S7", "run " + record.fence() + " has two answers");
        }
    }
}
