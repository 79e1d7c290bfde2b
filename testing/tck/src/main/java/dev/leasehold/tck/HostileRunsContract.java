package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Verdict;
import dev.leasehold.once.Work;
import dev.leasehold.store.Key;
import java.time.Duration;
import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs under hostile callers, in real time, as tests that a store's own test class inherits: work, codec, failure policy,
 * error texts, fingerprint and asynchronous work throw, return null, block, re-enter, interrupt or close the client.
 * After each, nothing stays held that nobody can release, and another caller can run.
 *
 * <p>{@link RunOnceContract} comes first. No case can be replaced or left out.
 */
public abstract class HostileRunsContract extends RunOnceFixture {
    private static Outcome<String> onItsOwnThread(HostileRuns.Scene scene, Work<String> work) throws Throwable {
        return scene.once().run(work);
    }

    private static Outcome<String> asynchronously(HostileRuns.Scene scene, Work<String> work) throws Throwable {
        CompletableFuture<Outcome<String>> future = scene.once().runAsync(run -> stage(work, run));
        Thread.interrupted(); // Work that interrupts its thread may have run on this one, which waits now.
        return outcome(future);
    }

    private static CompletionStage<String> stage(Work<String> work, Run<String> run) {
        try {
            return CompletableFuture.completedFuture(work.run(run));
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The outcome of asynchronous work, which has to come. */
    private static Outcome<String> outcome(CompletableFuture<Outcome<String>> future) throws Throwable {
        // Not by get, which asks an error for its text.
        CompletableFuture<Void> isOver = new CompletableFuture<>();
        CompletionStage<Outcome<String>> running = future;
        running.handle((outcome, error) -> isOver.complete(null));
        isOver.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return future.join();
        } catch (CompletionException e) {
            Throwable cause = e.getCause();
            throw cause == null ? e : cause;
        }
    }

    private Stream<DynamicTest> through(HostileRuns.Runner runner) {
        return HostileRuns.all().stream().map(hostile -> dynamicTest(hostile.name(), () -> check(hostile, runner)));
    }

    private void check(HostileRuns.Case hostile, HostileRuns.Runner runner) throws Exception {
        Leases client = client(store);
        Threads.start(() -> {
                    HostileRuns.check(hostile, runner, client, bob, Threads::pause, ttl());
                    return hostile;
                })
                .get();
    }

    @TestFactory
    @DisplayName("O20 A run ends and another caller can run, whatever its callbacks do")
    final Stream<DynamicTest> hostileRunsEnd() {
        return through(HostileRunsContract::onItsOwnThread);
    }

    @TestFactory
    @DisplayName("O20 A run of asynchronous work ends and another caller can run, whatever its callbacks do")
    final Stream<DynamicTest> hostileAsynchronousRunsEnd() {
        return through(HostileRunsContract::asynchronously);
    }

    @SuppressWarnings("NullAway") // Work must not return null, and this one does.
    private static Map<String, Function<Run<String>, CompletionStage<String>>> hostileStages() {
        Map<String, Function<Run<String>, CompletionStage<String>>> stages = new LinkedHashMap<>();
        stages.put("no stage at all", run -> null);
        stages.put("an Error before there is a stage", run -> {
            throw new LinkageError("hostile");
        });
        stages.put("an error that cannot describe itself before there is a stage", run -> {
            throw new HostileRuns.Speechless(HostileRuns.Speechless.Way.THROWS);
        });
        stages.put("a stage that accepts no continuation", run -> new HostileStage() {
            @Override
            public <U> CompletableFuture<U> handle(BiFunction<? super String, Throwable, ? extends U> next) {
                throw new UnsupportedOperationException("hostile");
            }
        });
        stages.put("a stage that goes on twice, and then throws", run -> new HostileStage() {
            @Override
            public <U> CompletableFuture<U> handle(BiFunction<? super String, Throwable, ? extends U> next) {
                U first = next.apply("first", null);
                U second = next.apply(null, new IllegalStateException("second"));
                throw new IllegalStateException("third, after " + first + " and " + second);
            }
        });
        stages.put("a stage that fails for a reason that cannot be told", run -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            Threads.start(() -> stage.completeExceptionally(new CompletionException("hostile", null) {
                private static final long serialVersionUID = 1L;

                @Override
                public synchronized Throwable getCause() {
                    throw new IllegalStateException("no cause");
                }
            }));
            return stage;
        });
        stages.put("a stage that fails elsewhere with an error that cannot describe itself", run -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            Threads.start(() -> stage.completeExceptionally(HostileRuns.speechlessError()));
            return stage;
        });
        stages.put("a stage that is cancelled", run -> {
            CompletableFuture<String> stage = new CompletableFuture<>();
            stage.cancel(true);
            return stage;
        });
        return stages;
    }

    /** A stage that is not what it seems. */
    private static class HostileStage extends CompletableFuture<String> {}

    @TestFactory
    @DisplayName("O20 A run ends and another caller can run, whatever asynchronous work gives instead of a stage")
    final Stream<DynamicTest> hostileStagesEnd() {
        return hostileStages().entrySet().stream()
                .map(stage -> dynamicTest(stage.getKey(), () -> checkStage(stage.getValue())));
    }

    private void checkStage(Function<Run<String>, CompletionStage<String>> work) throws Exception {
        Key key = key();
        RunSpec<String> spec = RunSpec.of(Codec.utf8()).withLeaseTtl(ttl());
        try {
            assertThat(outcome(Once.on(client(store), key, spec).runAsync(work)))
                    .isInstanceOf(Outcome.Ran.class);
        } catch (Throwable e) {
            // What it was is the work's own affair; that it came is what counts.
            assertThat(e.getClass()).isNotEqualTo(TimeoutException.class);
        }
        HostileRuns.assertOthersCanRun(key, Once.on(bob, key, spec), bob.store(), Threads::pause, ttl());
    }

    @Test
    @DisplayName("O20 A kept answer that its codec cannot read is told to each caller, and holds nothing")
    final void hostileDecoderHoldsNothing() throws Exception {
        Key key = key();
        once(ann, key).run(work());
        Codec<String> hostile = new Codec<>() {
            @Override
            public byte[] encode(String value) {
                return new byte[0];
            }

            @Override
            public String decode(byte[] bytes) {
                throw new LinkageError("hostile");
            }
        };
        Once<String> unreadable = Once.on(ann, key, RunSpec.of(hostile)).of(REQUEST);

        assertThatThrownBy(() -> unreadable.run(never())).isInstanceOf(LinkageError.class);
        assertThatThrownBy(() -> outcome(unreadable.runAsync(run -> stage(never(), run))))
                .isInstanceOf(LinkageError.class);
        assertThatThrownBy(unreadable::peek).isInstanceOf(LinkageError.class);

        assertThat(replayed(once(bob, key).run(never())).value()).isEqualTo("run 1");
    }

    @Test
    @DisplayName("O20 A request whose fingerprint cannot be taken holds nothing")
    final void hostileRequestHoldsNothing() throws Exception {
        Key key = key();
        List<Object> hostile = new AbstractList<>() {
            @Override
            public Object get(int index) {
                throw new LinkageError("hostile");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        assertThatThrownBy(() -> once(ann, key).of(Fingerprint.of(hostile)).run(never()))
                .isInstanceOf(LinkageError.class);
        assertThat(ran(once(bob, key).run(work())).attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("O20 Callbacks that block delay no other run, nor the client's end, and their run ends when they do")
    final void blockedCallbacksDelayNobody() throws Exception {
        CountDownLatch isBlocked = new CountDownLatch(2);
        CountDownLatch goOn = new CountDownLatch(1);
        Leases client = client(store);
        Codec<String> blocking = new Codec<>() {
            @Override
            public byte[] encode(String value) throws InterruptedException {
                block(isBlocked, goOn);
                return new byte[0];
            }

            @Override
            public String decode(byte[] bytes) {
                return "decoded";
            }
        };
        Key encoded = key();
        Key judged = key();
        RunSpec<String> judging = briefSpec().withFailurePolicy((error, attempt) -> {
            block(isBlocked, goOn);
            return Verdict.TERMINAL;
        });
        Threads.Running<Outcome<String>> encoding = Threads.start(() ->
                once(client, encoded, RunSpec.of(blocking).withLeaseTtl(ttl())).run(work()));
        Threads.Running<Outcome<String>> judgement = Threads.start(() -> once(client, judged, judging)
                .runAsync(run -> CompletableFuture.failedFuture(new IllegalStateException("hostile")))
                .get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        assertThat(isBlocked.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();

        assertThat(ran(once(client, key()).run(work())).attempt()).isEqualTo(1);
        inProgress(once(bob, encoded).of(Fingerprint.none()).run(never()));
        long before = System.nanoTime();
        client.close();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(PATIENCE);
        goOn.countDown();

        assertThat(encoding.get()).isInstanceOf(Outcome.Ran.class);
        assertThat(judgement.get()).isInstanceOf(Outcome.Refused.class);
        HostileRuns.assertOthersCanRun(encoded, once(bob, encoded), bob.store(), Threads::pause, ttl());
        HostileRuns.assertOthersCanRun(judged, once(bob, judged), bob.store(), Threads::pause, ttl());
    }

    private static void block(CountDownLatch isBlocked, CountDownLatch goOn) {
        isBlocked.countDown();
        try {
            assertThat(goOn.await(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
