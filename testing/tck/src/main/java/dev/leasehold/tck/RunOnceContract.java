package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.once.Failure;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Key;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What runs do on a store, in real time, as tests that a store's own test class inherits: the work is done once, callers
 * are given its answer, and runners that wake too late harm nobody.
 *
 * <p>{@link LeaseStoreContract} and {@link LeasesContract} come first. The store's clock has to run by itself. No case
 * can be replaced or left out.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class RunOnceContract extends RunOnceOwnership {
    private static final int CROWD = 64;

    @Test
    @DisplayName(
            "O03 Of sixteen callers at once one does the work; the others are told or answered, without exceptions")
    final void oneOfManyRuns() throws Exception {
        Key key = key();
        List<Outcome<String>> outcomes = Race.of(
                16,
                racer -> () -> once(racer % 2 == 0 ? ann : bob, key).run(run -> {
                    Threads.pause(Duration.ofMillis(50));
                    return "run " + runs.incrementAndGet();
                }));
        assertThat(runs).hasValue(1);
        assertThat(outcomes).filteredOn(Outcome.Ran.class::isInstance).hasSize(1);
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfAny(Outcome.Ran.class, Outcome.InProgress.class, Outcome.Replayed.class));
    }

    @Test
    @DisplayName("O03 Of sixty-four callers who wait one does the work, and the others are given its answer")
    final void crowdIsAnswered() throws Exception {
        Key key = key();
        RunSpec<String> patient = spec().waitingFor(Duration.ofSeconds(60));
        List<Outcome<String>> outcomes = Race.of(
                CROWD,
                racer -> () -> once(racer % 2 == 0 ? ann : bob, key, patient).run(run -> {
                    Threads.pause(Duration.ofMillis(100));
                    return "run " + runs.incrementAndGet();
                }));
        assertThat(runs).hasValue(1);
        assertThat(outcomes).filteredOn(Outcome.Ran.class::isInstance).hasSize(1);
        assertThat(outcomes).filteredOn(Outcome.Replayed.class::isInstance).hasSize(CROWD - 1);
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome.toOptional()).contains("run 1"));
        assertThat(events)
                .as("being answered is no error")
                .noneMatch(event -> event.type().equals("lock:error"));
    }

    @Test
    @DisplayName("O12 Sixty-four callers who wait make exactly the attempts allowed, if the work fails")
    final void crowdMakesTheAttemptsAllowed() throws Exception {
        Key key = key();
        RunSpec<String> patient = spec().waitingFor(Duration.ofSeconds(60)).withMaxAttempts(3);
        List<Object> results = Race.of(CROWD, racer -> () -> {
            try {
                return once(racer % 2 == 0 ? ann : bob, key, patient).run(run -> {
                    runs.incrementAndGet();
                    throw new IOException("attempt " + run.attempt());
                });
            } catch (IOException e) {
                return e;
            }
        });
        assertThat(runs).hasValue(3);
        assertThat(results)
                .filteredOn(IOException.class::isInstance)
                .extracting(error -> ((IOException) error).getMessage())
                .containsExactlyInAnyOrder("attempt 1", "attempt 2", "attempt 3");
        assertThat(results)
                .filteredOn(Outcome.Refused.class::isInstance)
                .hasSize(CROWD - 3)
                .allSatisfy(refused -> assertThat(
                                ((Outcome.Refused<?>) refused).failure().code())
                        .isEqualTo(Failure.ATTEMPTS_EXHAUSTED));
    }

    @Test
    @DisplayName("O03 A caller who waits is woken when the work is cleared, runs it, and sees the earlier attempt")
    final void waiterRunsAfterAClear() throws Exception {
        Key key = key();
        List<CompletableFuture<Outcome<String>>> waiters = new ArrayList<>();
        IOException error = new IOException("the first");
        assertThatThrownBy(() -> once(ann, key).run(run -> {
                    run.checkpoint(new byte[] {7});
                    waiters.add(async(() -> once(bob, key, spec().waitingFor(PATIENCE))
                            .run(next -> {
                                assertThat(next.checkpoint()).get().isEqualTo(new byte[] {7});
                                return "attempt " + next.attempt() + " after "
                                        + next.history().size();
                            })));
                    Threads.eventually("in line", () -> !record(key).line().isEmpty());
                    throw error;
                }))
                .isSameAs(error);
        assertThat(ran(waiters.get(0).get(10, TimeUnit.SECONDS)).value()).isEqualTo("attempt 2 after 1");
    }

    @Test
    @DisplayName("O03 A caller who waits no longer is told who is at it, and for how long")
    final void waitingEnds() throws Exception {
        Key key = key();
        once(ann, key).run(run -> {
            Outcome.InProgress<String> busy = inProgress(
                    once(bob, key, spec().waitingFor(Duration.ofMillis(100))).run(never()));
            assertThat(busy.fence()).isEqualTo(run.fence());
            assertThat(busy.retryAfter()).isPositive();
            assertThat(busy.heldFor()).isGreaterThanOrEqualTo(Duration.ZERO);
            return "done";
        });
    }

    @Test
    @DisplayName("O03 A caller who is interrupted while it waits stops waiting and has done nothing")
    final void interruptedWaiterStops() throws Exception {
        Key key = key();
        once(ann, key).run(run -> {
            CompletableFuture<Thread> thread = new CompletableFuture<>();
            CompletableFuture<Outcome<String>> waiter = async(() -> {
                thread.complete(Thread.currentThread());
                return once(bob, key, spec().waitingFor(PATIENCE)).run(never());
            });
            Threads.eventually("in line", () -> !record(key).line().isEmpty());
            thread.get(10, TimeUnit.SECONDS).interrupt();
            assertThatThrownBy(() -> waiter.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            return "done";
        });
        assertThat(replayed(once(bob, key).run(never())).attempts()).isEqualTo(1);
    }

    @Test
    @DisplayName("O01 Work that goes on elsewhere is done once as well, and no thread waits for it")
    final void asyncWorkIsDoneOnce() throws Exception {
        Key key = key();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> first = once(ann, key).runAsync(run -> work);
        Threads.eventually("running", () -> isHeld(key));
        assertThat(once(bob, key)
                        .runAsync(run -> CompletableFuture.completedFuture("no"))
                        .get(10, TimeUnit.SECONDS))
                .isInstanceOf(Outcome.InProgress.class);
        work.complete("done");
        assertThat(ran(first.get(10, TimeUnit.SECONDS)).value()).isEqualTo("done");
        assertThat(replayed(once(bob, key).runAsync(run -> work).get(10, TimeUnit.SECONDS))
                        .value())
                .isEqualTo("done");
    }
}
