package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What a client promises to callers that misbehave, as tests that a store's own test class inherits. Listeners,
 * continuations and callbacks throw, block, call the client again, interrupt and close it; threads run out; calls come
 * from ForkJoin workers, from virtual threads and from threads that are interrupted.
 *
 * <p>After each case every lease is given back or has expired, nobody is left in line, the client closes in good time,
 * and its thread ends. Virtual threads take part on a JDK that has them. No case can be replaced or left out.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class HostileCallersContract extends HostileCallersFixture {
    private static final int CALLS = 40;

    @Test
    @DisplayName("B01 A listener that blocks holds up no call, no renewal and no other listener")
    final void blockingListener() throws Exception {
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        ann.onEvent(event -> block());
        ann.onEvent(event -> heard.add(event.type()));
        Lease lease = acquire(ann);
        inTime("renewed", lease::renew);
        releaseInTime(lease);
        eventually("heard", () -> heard.size() == 3);
        assertThat(heard).containsExactly("lock:acquired", "lock:renewed", "lock:released");
    }

    @Test
    @DisplayName("B02 A listener that throws, also an Error, harms no call and no other listener")
    final void throwingListener() throws Exception {
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        ann.onEvent(event -> {
            throw new IllegalStateException("as the test wants");
        });
        ann.onEvent(event -> {
            throw new StackOverflowError("as the test wants");
        });
        ann.onEvent(event -> heard.add(event.type()));
        Lease lease = acquire(ann);
        releaseInTime(lease);
        eventually("heard", () -> heard.size() == 2);
    }

    @Test
    @DisplayName("B03 A listener may acquire, wait in line and release, and interrupt its own thread")
    final void reenteringListener() throws Exception {
        Queue<ReleaseOutcome> outcomes = new ConcurrentLinkedQueue<>();
        Key other = newKey();
        Key first = newKey();
        ann.onEvent(event -> {
            if (event instanceof LeaseEvent.Acquired && event.source().scope().equals(first)) {
                outcomes.add(
                        ann.acquireAsync(other, inLine()).join().orElseThrow().release());
                outcomes.add(ann.tryAcquire(other).orElseThrow().release());
                Thread.currentThread().interrupt();
            }
        });
        Lease lease = inTime("acquired", () -> ann.tryAcquire(first).orElseThrow());
        eventually("both released", () -> outcomes.size() == 2);
        assertThat(outcomes).containsOnly(ReleaseOutcome.RELEASED);
        releaseInTime(lease);
    }

    @Test
    @DisplayName("B04 A listener may close the client: waiting calls end, and everything is given back")
    final void closingListener() throws Exception {
        Key taken = newKey();
        bob.tryAcquire(taken).orElseThrow();
        CompletableFuture<Acquisition> waiting = ann.acquireAsync(taken, inLine());
        ann.onEvent(event -> {
            if (event instanceof LeaseEvent.Acquired) {
                ann.close();
            }
        });
        Lease lease = acquire(ann);
        eventually("given back", () -> !isHeld(lease.key()));
        eventually("ended", waiting::isCompletedExceptionally);
    }

    @Test
    @DisplayName("B05 A continuation that blocks holds up no other call, blocking or not, and no renewal")
    final void blockingContinuation() throws Exception {
        Lease kept = inTime(
                "acquired",
                () -> ann.tryAcquire(newKey(), LeaseOptions.noWait().withTtl(shortTtl()))
                        .orElseThrow());
        List<CompletableFuture<Void>> blocked = new ArrayList<>();
        List<Lease> inTheWay = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Key key = newKey();
            inTheWay.add(bob.tryAcquire(key).orElseThrow());
            blocked.add(ann.acquireAsync(key, inLine()).thenAccept(acquired -> block()));
        }
        for (Lease other : inTheWay) {
            releaseInTime(other);
        }
        Lease lease = acquire(ann);
        releaseInTime(lease);
        Key key = newKey();
        Lease later =
                inTime("acquired", () -> ann.acquireAsync(key, inLine()).join().orElseThrow());
        ReleaseOutcome outcome = inTime("released", () -> later.releaseAsync().join());
        assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
        Threads.pause(shortTtl());
        assertThat(kept.isValid()).isTrue();
        assertThat(blocked).noneMatch(CompletableFuture::isDone);
    }

    @Test
    @DisplayName("B06 Continuations that work and release take turns: none nests in another, none waits for long")
    final void workingContinuations() throws Exception {
        Key key = newKey();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger mostInside = new AtomicInteger();
        Queue<ReleaseOutcome> outcomes = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < 8; i++) {
            calls.add(ann.acquireAsync(key, inLine()).thenAccept(acquired -> {
                mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
                Threads.pause(Duration.ofMillis(30));
                inside.decrementAndGet();
                outcomes.add(acquired.orElseThrow().release());
            }));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0]));
        eventually("all had their turn", all::isDone);
        assertThat(outcomes).hasSize(8).containsOnly(ReleaseOutcome.RELEASED);
        assertThat(mostInside).hasValue(1);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    @DisplayName("B07 A continuation may throw an Error, acquire again in its own thread, and close the client")
    final void hostileContinuations() throws Exception {
        Key key = newKey();
        AtomicBoolean isClosed = new AtomicBoolean();
        var unused = ann.acquireAsync(key, inLine()).thenAccept(acquired -> {
            var ignored = acquired.orElseThrow().releaseAsync().thenAccept(released -> {
                throw new StackOverflowError("as the test wants");
            });
            throw new StackOverflowError("as the test wants");
        });
        var unusedToo = ann.acquireAsync(key, inLine()).thenAccept(acquired -> {
            acquired.orElseThrow().release();
            Lease again = ann.tryAcquire(key).orElseThrow();
            assertThat(again.isValid()).isTrue();
            ann.close();
            isClosed.set(true);
        });
        eventually("closed", isClosed::get);
        assertThat(isHeld(key)).isFalse();
    }

    @Test
    @DisplayName("B08 A future that its caller completes, fails or cancels leaves no lease behind")
    final void futureEndedByItsCaller() throws Exception {
        List<Consumer<CompletableFuture<Acquisition>>> ways = List.of(
                future -> future.complete(null),
                future -> future.completeExceptionally(new IllegalStateException("as the test wants")),
                future -> future.cancel(true),
                future -> future.orTimeout(1, TimeUnit.NANOSECONDS));
        for (Consumer<CompletableFuture<Acquisition>> way : ways) {
            Key key = newKey();
            Lease inTheWay = bob.tryAcquire(key).orElseThrow();
            CompletableFuture<Acquisition> call = ann.acquireAsync(key, inLine());
            way.accept(call);
            eventually("ended", call::isDone);
            releaseInTime(inTheWay);
            // A request that was under way may still be granted the key; then it is given back.
            eventually("free for others", () -> bob.tryAcquire(key) instanceof Acquisition.Acquired);
        }
    }

    @Test
    @DisplayName("B09 Callbacks for a lost lease that throw or block keep neither each other nor the client waiting")
    final void hostileLossCallbacks() throws Exception {
        LeaseOptions options = LeaseOptions.noWait().withTtl(shortTtl());
        Key key = newKey();
        Lease lease = inTime("acquired", () -> ann.tryAcquire(key, options).orElseThrow());
        Lease kept = inTime("acquired", () -> ann.tryAcquire(newKey(), options).orElseThrow());
        Queue<String> reasons = new ConcurrentLinkedQueue<>();
        lease.onLost(why -> block());
        lease.onLost(why -> {
            throw new StackOverflowError("as the test wants");
        });
        lease.onLost(reasons::add);
        takeAway(lease.ref());
        eventually("told", () -> reasons.size() == 1);
        Threads.pause(shortTtl());
        assertThat(kept.isValid()).isTrue();
    }

    /** As an operator can. The second release is needed because the store remembers who released last. */
    private void takeAway(LeaseRef lease) {
        store.release(ReleaseRequest.of(lease));
        bob.tryAcquire(lease.key()).orElseThrow().release();
        bob.tryAcquire(lease.key()).orElseThrow();
    }

    @Test
    @DisplayName("B10 Tasks of a ForkJoin pool that take turns on one key all get theirs")
    final void forkJoinWorkers() throws Exception {
        Key key = newKey();
        ForkJoinPool pool = new ForkJoinPool(4);
        try {
            List<CompletableFuture<ReleaseOutcome>> tasks = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                tasks.add(CompletableFuture.supplyAsync(this.turn(key), pool));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(tasks.toArray(new CompletableFuture<?>[0]));
            all.get(patience().toMillis() * 2, TimeUnit.MILLISECONDS);
            assertThat(tasks).extracting(CompletableFuture::join).containsOnly(ReleaseOutcome.RELEASED);
        } finally {
            pool.shutdownNow();
        }
    }

    private Supplier<ReleaseOutcome> turn(Key key) {
        return () -> {
            try {
                Lease lease = ann.acquire(key, inLine()).orElseThrow();
                lease.renew();
                return lease.release();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    @Test
    @DisplayName("B11 A thread that is interrupted acquires, renews and releases, and stays interrupted")
    final void interruptedThread() throws Exception {
        Key key = newKey();
        assertThat(inTime("done", Threads.start(() -> underInterrupts(key)).task()))
                .isTrue();
    }

    @Test
    @DisplayName("B12 A virtual thread that is interrupted acquires, renews and releases, and stays interrupted")
    final void interruptedVirtualThread() throws Exception {
        Key key = newKey();
        FutureTask<Boolean> task = new FutureTask<>(() -> underInterrupts(key));
        startVirtual(task);
        assertThat(inTime("done", task)).isTrue();
    }

    private boolean underInterrupts(Key key) {
        for (int i = 0; i < 5; i++) {
            Thread.currentThread().interrupt();
            Lease lease = ann.tryAcquire(key).orElseThrow();
            assertThat(lease.renew()).isAfter(lease.acquiredAt());
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(Thread.interrupted()).isTrue();
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> ann.acquire(key, inLine())).isInstanceOf(InterruptedException.class);
        return !Thread.currentThread().isInterrupted();
    }

    @Test
    @DisplayName("B13 Interrupts in the middle of calls, on virtual threads, fail no call of theirs or of others")
    final void interruptsInTheMiddleOfCalls() throws Exception {
        Key hit = newKey();
        Key other = newKey();
        FutureTask<Boolean> target = new FutureTask<>(() -> manyCalls(hit));
        FutureTask<Boolean> neighbour = new FutureTask<>(() -> manyCalls(other));
        Thread thread = startVirtual(target);
        startVirtual(neighbour);
        while (!target.isDone()) {
            thread.interrupt();
            Threads.pause(Duration.ofNanos(200_000));
        }
        assertThat(inTime("done", target)).isTrue();
        assertThat(inTime("done", neighbour)).isTrue();
    }

    private boolean manyCalls(Key key) {
        for (int i = 0; i < CALLS; i++) {
            Lease lease = ann.tryAcquire(key).orElseThrow();
            assertThat(lease.renew()).isAfter(lease.acquiredAt());
            assertThat(lease.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        return true;
    }

    @Test
    @DisplayName(
            "B14 Without threads no lease is acquired that nobody can release, and all calls end once there are some")
    final void threadsRunOut() throws Exception {
        Lease kept = inTime(
                "acquired",
                () -> ann.tryAcquire(
                                newKey(),
                                LeaseOptions.noWait().withTtl(shortTtl().multipliedBy(4)))
                        .orElseThrow());
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        ann.onEvent(event -> heard.add(event.type()));
        threads.runOutOfThreads();
        List<CompletableFuture<Acquisition>> calls = new ArrayList<>();
        int refusals = 0;
        for (int i = 0; i < CALLS; i++) {
            Key key = newKey();
            try {
                calls.add(ann.acquireAsync(key, i % 2 == 0 ? inLine() : LeaseOptions.noWait()));
            } catch (OutOfMemoryError e) {
                refusals++;
            }
        }
        Threads.pause(Duration.ofMillis(300));
        threads.haveThreadsAgain();
        CompletableFuture<Void> all = CompletableFuture.allOf(calls.toArray(new CompletableFuture<?>[0]));
        eventually("all calls ended", all::isDone);
        assertThat(calls.size() + refusals).isEqualTo(CALLS);
        for (CompletableFuture<Acquisition> call : calls) {
            if (!call.isCompletedExceptionally()) {
                Lease lease = call.join().orElseThrow();
                releaseInTime(lease);
            }
        }
        assertThat(kept.isValid()).isTrue();
        releaseInTime(kept);
        eventually("nothing held, with the client still open", this::isNothingHeld);
        eventually("told of the last release", () -> heard.contains("lock:released"));
    }

    @Test
    @DisplayName(
            "B15 Work may close the client: it is told of its loss, and the key stays closed until the TTL is over")
    final void workClosesTheClient() throws Exception {
        Key key = newKey();
        LeaseOptions options = LeaseOptions.noWait().withTtl(shortTtl());
        List<LeaseState> states = new CopyOnWriteArrayList<>();
        assertThatThrownBy(() -> inTime(
                        "done",
                        () -> ann.with(key, options, lease -> {
                            ann.close();
                            return states.add(lease.state());
                        })))
                .hasCauseInstanceOf(LeaseLostException.class);
        assertThat(states).containsExactly(LeaseState.LOST);
    }

    @Test
    @DisplayName(
            "B16 Work that is interrupted by its own caller stays interrupted, also if its lease is lost meanwhile")
    final void interruptOfTheCaller() throws Exception {
        Key key = newKey();
        LeaseOptions options = LeaseOptions.noWait().withTtl(shortTtl()).interruptingOnLoss();
        boolean isInterrupted = inTime("done", () -> {
            Lease lease = ann.tryAcquire(key, options).orElseThrow();
            CompletableFuture<Void> told = new CompletableFuture<>();
            lease.use(used -> {
                Thread.currentThread().interrupt();
                takeAway(used.ref());
                used.onLost(why -> told.complete(null));
                eventually("lost", told::isDone);
                Threads.pause(Duration.ofMillis(50)); // For the interrupt on loss, which comes by another callback.
                return used.state();
            });
            return Thread.interrupted();
        });
        assertThat(isInterrupted).isTrue();
    }

    @Test
    @DisplayName("B17 What depends on a renewal that is answered late, or not in time, runs on a callback thread")
    final void lateRenewals() throws Exception {
        FaultyStore late = FaultyStore.inRealTime(store);
        Leases client = client(late, threads);
        LeaseOptions options = LeaseOptions.noWait().withTtl(Duration.ofSeconds(3));
        Lease answered = client.tryAcquire(newKey()).orElseThrow();
        Lease unanswered = client.tryAcquire(newKey(), options).orElseThrow();
        late.always(FaultyStore.Verb.RENEW, new FaultyStore.Fault.SlowReply(Duration.ofMinutes(1)));
        CompletableFuture<String> afterNone = threadAfter(unanswered.renewAsync());
        eventually("given up by the keeper", afterNone::isDone);
        CompletableFuture<String> afterAnswer = threadAfter(answered.renewAsync());
        late.heal();
        eventually("answered", afterAnswer::isDone);
        assertThat(afterNone.join()).startsWith("leasehold-callback");
        assertThat(afterAnswer.join()).startsWith("leasehold-callback");
    }

    private static CompletableFuture<String> threadAfter(CompletableFuture<?> result) {
        return result.handle((value, failure) -> Thread.currentThread().getName());
    }

    @Test
    @DisplayName("B18 Asynchronous work ends in lock:released and its future ends, whatever its stage and its error do")
    final void hostileStages() throws Exception {
        Queue<String> heard = new ConcurrentLinkedQueue<>();
        ann.onEvent(event -> heard.add(event.source().scope() + " " + event.type()));
        Throwable speechless = new HostileRuns.Speechless(HostileRuns.Speechless.Way.THROWS);
        CompletableFuture<String> failing = new CompletableFuture<>();
        List<CompletionStage<String>> stages =
                List.of(CompletableFuture.failedFuture(speechless), failing, new Mute(false), new Mute(true));
        for (CompletionStage<String> stage : stages) {
            Key key = newKey();
            CompletableFuture<String> result = inTime(
                    "begun", () -> ann.withAsync(key, LeaseOptions.noWait().withTtl(shortTtl()), lease -> stage));
            if (stage == failing) {
                eventually("acquired", () -> heard.contains(key + " lock:acquired"));
                Threads.pause(Duration.ofMillis(20));
                failing.completeExceptionally(speechless);
            }
            eventually("ended", result::isDone);
            eventually("told", () -> heard.contains(key + " lock:released"));
            assertThat(result.isCompletedExceptionally()).isTrue();
            assertThat(isHeld(key)).isFalse();
        }
    }

    /** A stage that accepts no continuation: it throws, or returns null. */
    @SuppressWarnings("NullAway") // On purpose.
    private static final class Mute extends CompletableFuture<String> {
        private final boolean isThrowing;

        Mute(boolean isThrowing) {
            this.isThrowing = isThrowing;
        }

        private <U> CompletableFuture<U> refuse() {
            if (isThrowing) {
                throw new UnsupportedOperationException("as the test wants");
            }
            return null;
        }

        @Override
        public <U> CompletableFuture<U> handle(BiFunction<? super String, Throwable, ? extends U> next) {
            return refuse();
        }

        @Override
        public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> next) {
            return refuse();
        }
    }
}
