package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.RecordNotFoundException;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.ForwardingStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scoped form: work under a lease that is given back however the work ends. */
class ScopedWorkTest {
    private static final LeaseOptions NO_WAIT = LeaseOptions.noWait().withTtl(TTL);

    private final Bench bench = new Bench();
    private final Bench.Client ann = bench.client("ann");
    private final Bench.Client bob = bench.client("bob");
    private final List<Lease> used = new ArrayList<>();

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @Tag("part-of:LOCK-1")
    @DisplayName("Work gets the lease and its result is handed back; a lease has id, backend, scope and both times")
    void workGetsTheLease() throws InterruptedException {
        String result = ann.leases.with(KEY, NO_WAIT, lease -> {
            lease.ensure();
            assertThat(lease.id()).isNotBlank();
            assertThat(lease.backend()).isEqualTo("memory");
            assertThat(lease.key()).isEqualTo(KEY);
            assertThat(lease.acquiredAt()).isEqualTo(lease.expiresAt().minus(lease.remaining()));
            return "done by " + lease.owner();
        });
        assertThat(result).isEqualTo("done by ann");
    }

    @Test
    @Tag("part-of:LOCK-11")
    @DisplayName("Work that returns ends in lock:released")
    void normalEnd() throws InterruptedException {
        ann.leases.with(KEY, NO_WAIT, used::add);
        assertThat(used.get(0).state()).isEqualTo(LeaseState.RELEASED);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-11")
    @DisplayName("Work that throws a checked exception ends in lock:released, and the exception comes through")
    void checkedException() {
        IOException failure = new IOException("no paper");
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @Tag("part-of:LOCK-11")
    @DisplayName("Work that throws an Error ends in lock:released, and the Error comes through")
    void error() {
        StackOverflowError failure = new StackOverflowError("as the test wants");
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    throw failure;
                }))
                .isSameAs(failure);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @Tag("part-of:LOCK-11")
    @DisplayName("Work that is interrupted ends in lock:released, and stays interrupted")
    void interrupt() {
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("stopped");
                }))
                .hasMessage("stopped");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Tag("part-of:LOCK-11")
    @DisplayName("If the lease cannot be given back it ends in lock:cleanup-warning, and the result stands")
    void releaseFails() throws InterruptedException {
        ann.store.always(Verb.RELEASE, new Fault.LostRequest());
        int answer = ann.leases.with(KEY, NO_WAIT, lease -> 42);
        assertThat(answer).isEqualTo(42);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @Tag("part-of:LOCK-11")
    @DisplayName("If both the work and the release fail, the work's exception comes through")
    void bothFail() {
        ann.store.always(Verb.RELEASE, new Fault.Failure(new IllegalStateException("store broken")));
        IOException failure = new IOException("no paper");
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    @DisplayName("Work whose lease was taken by another holder has heard lock:lost before it ends in lock:released")
    void lost() {
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    bench.memory.release(ReleaseRequest.of(lease.ref()));
                    used.add(bob.acquire(KEY));
                    bench.advanceSeconds(10);
                    lease.ensure();
                    return used.add(lease);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost", "lock:released");
        assertThat(used).hasSize(1).allMatch(Lease::isValid);
    }

    @Test
    @DisplayName(
            "If the client is closed under running work, the work is told, and the key is closed to others until it ends")
    void clientClosed() {
        List<String> reasons = new ArrayList<>();
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    lease.onLost(reasons::add);
                    ann.leases.close();
                    assertThat(lease.isValid()).isFalse();
                    assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Refused.class);
                    return used.add(lease);
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("the client was closed");
        assertThat(reasons).containsExactly("the client was closed");
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost", "lock:released");
        assertThat(bob.tryAcquire(KEY)).as("once the work is over").isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName(
            "Work whose lease ran out ends in lock:released, or in lock:cleanup-warning if the store is still away")
    void ranOut() {
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        for (boolean isReleased : List.of(true, false)) {
            ann.events.clear();
            assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                        bench.advance(TTL);
                        if (!isReleased) {
                            ann.store.cutOff();
                        }
                        return used.add(lease);
                    }))
                    .isInstanceOf(LeaseLostException.class);
            assertThat(ann.told())
                    .endsWith("lock:lost", isReleased ? "lock:released" : "lock:cleanup-warning")
                    .doesNotContain("lock:error");
        }
    }

    @Test
    @DisplayName("Work that finds at its end that another holder has the lease has heard so before lock:released")
    void lostAtTheEnd() {
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, lease -> {
                    bench.time.shiftStoreClock(TTL);
                    return used.add(bob.acquire(KEY));
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost", "lock:released");
        assertThat(used).allMatch(Lease::isValid);
    }

    @Test
    @DisplayName("Asynchronous work gets the lease, which is released when the work's stage is completed, not before")
    void asynchronousWork() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = ann.leases.withAsync(KEY, NO_WAIT, lease -> {
            used.add(lease);
            return work;
        });
        bench.advance(TTL.multipliedBy(2));
        assertThat(result).isNotDone();
        assertThat(used).hasSize(1).allMatch(Lease::isValid);
        work.complete("done");
        assertThat(result).isCompletedWithValue("done");
        assertThat(ann.told()).startsWith("lock:acquired", "lock:renewed").endsWith("lock:released");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("Asynchronous work that throws, fails, or returns nothing at all ends in lock:released")
    void asynchronousFailure() {
        IOException failure = new IOException("no paper");
        List<Function<Lease, CompletionStage<String>>> works = List.of(
                lease -> CompletableFuture.failedFuture(failure),
                lease -> CompletableFuture.completedFuture("x").thenApply(text -> {
                    throw new IllegalStateException(text);
                }),
                lease -> {
                    throw new StackOverflowError("as the test wants");
                },
                lease -> CompletableFuture.failedFuture(new CompletionException("as the test wants", null)),
                lease -> {
                    used.add(lease);
                    return null;
                });
        List<Class<?>> failures = List.of(
                IOException.class,
                IllegalStateException.class,
                StackOverflowError.class,
                CompletionException.class,
                NullPointerException.class);
        for (int i = 0; i < works.size(); i++) {
            ann.events.clear();
            assertThat(ann.leases.withAsync(KEY, NO_WAIT, works.get(i)))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(failures.get(i).asSubclass(Throwable.class));
            assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        }
        assertThatThrownBy(() -> used.get(0).startUse()).isInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("Asynchronous work is begun on a callback thread, and not at all if it is cancelled before")
    void asynchronousWorkIsBegunElsewhere() {
        FailingClockwork clockwork = new FailingClockwork(bench.time);
        Bench.Client eve = bench.client("eve", clockwork);
        for (boolean isCancelled : List.of(false, true)) {
            used.clear();
            clockwork.holdCallbacks();
            CompletableFuture<Boolean> result =
                    eve.leases.withAsync(KEY, NO_WAIT, lease -> CompletableFuture.completedFuture(used.add(lease)));
            assertThat(used).isEmpty();
            if (isCancelled) {
                result.cancel(true);
            }
            clockwork.runCallbacks();
            assertThat(used).hasSize(isCancelled ? 0 : 1);
            assertThat(bench.isHeld(KEY)).isFalse();
        }
    }

    @Test
    @DisplayName("Asynchronous work whose lease was lost and that was not told ends in LeaseLostException")
    void asynchronousLoss() {
        CompletableFuture<Boolean> result = ann.leases.withAsync(KEY, NO_WAIT, lease -> {
            bench.time.shiftStoreClock(TTL);
            return CompletableFuture.completedFuture(used.add(bob.acquire(KEY)));
        });
        assertThat(result).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    @DisplayName("Asynchronous work that is cancelled while it waits is never begun, and leaves nothing behind")
    void asynchronousCancelled() {
        Lease other = bob.acquire(KEY);
        CompletableFuture<Boolean> result = ann.leases.withAsync(
                KEY, LeaseOptions.defaults(), lease -> CompletableFuture.completedFuture(used.add(lease)));
        bench.advanceSeconds(1);
        result.cancel(true);
        other.release();
        bench.advance(TTL);
        assertThat(used).isEmpty();
        assertThat(ann.told()).containsExactly("lock:retry", "lock:retry");
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @DisplayName("Asynchronous work that is cancelled once it has begun keeps the lease until it is over")
    void asynchronousCancelledLate() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = ann.leases.withAsync(KEY, NO_WAIT, lease -> work);
        result.cancel(true);
        assertThat(bench.isHeld(KEY)).isTrue();
        work.complete("done");
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
    }

    @Test
    @DisplayName("Work that abandons its lease ends in lock:cleanup-warning, and the record is left to its TTL")
    void abandoned() throws InterruptedException {
        ann.leases.with(KEY, NO_WAIT, lease -> {
            lease.abandon("as the test wants");
            return used.add(lease);
        });
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost", "lock:cleanup-warning");
        assertThat(ann.events(LeaseEvent.CleanupWarning.class).get(0).message())
                .isEqualTo("Did not release the lease on report: its holder abandoned it."
                        + " It expires by itself in at most 30 s.");
        assertThat(bench.isHeld(KEY)).isTrue();
    }

    @Test
    @DisplayName("A run that is lost ends in lock:cleanup-warning, and is left to the holder that takes over")
    void lostRun() {
        ann.store.always(Verb.RENEW, new Fault.LostRequest());
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT.forRun(), lease -> {
                    bench.advance(TTL);
                    return used.add(lease);
                }))
                .isInstanceOf(LeaseLostException.class);
        assertThat(ann.events(LeaseEvent.CleanupWarning.class))
                .singleElement()
                .satisfies(warning -> assertThat(warning.message())
                        .isEqualTo("Did not release the lease on report: it is left to the holder that takes over."
                                + " It expires by itself in at most 30 s."));
    }

    @Test
    @DisplayName("ifAcquired(...), runIfFree(...) and runWhenFree(...) end as with(...) does after a loss")
    void conditionalFormsEndInReleased() {
        Leasehold leasehold = Leasehold.with(ann.leases);
        List<ThrowingCallable> forms = List.of(
                () -> ann.tryAcquire(KEY).ifAcquired(this::loseToBob),
                () -> leasehold.runIfFree(KEY, this::loseToBob),
                () -> leasehold.runWhenFree(KEY, Duration.ZERO, this::loseToBob));
        for (ThrowingCallable form : forms) {
            ann.events.clear();
            assertThatThrownBy(form).isInstanceOf(LeaseLostException.class);
            assertThat(ann.told()).containsExactly("lock:acquired", "lock:lost", "lock:released");
            used.remove(0).release();
        }
    }

    @Test
    @DisplayName(
            "runIfFree(...) and runWhenFree(...) throw if there is no such record: no later call would do the work")
    void missingRecord() {
        LeaseStore records = new ForwardingStore(bench.memory) {
            @Override
            public AcquireResult acquire(AcquireRequest request) {
                return new AcquireResult.Missing();
            }
        };
        Leasehold leasehold = Leasehold.with(bench.client("cat", bench.time, records).leases);
        List<ThrowingCallable> forms = List.of(
                () -> leasehold.runIfFree(KEY, used::add),
                () -> leasehold.runWhenFree(KEY, Duration.ofMinutes(5), used::add));
        for (ThrowingCallable form : forms) {
            assertThatThrownBy(form)
                    .isInstanceOfSatisfying(RecordNotFoundException.class, error -> {
                        assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
                        assertThat(error.key()).isEqualTo(KEY);
                    })
                    .hasMessage("There is no record report. Create it before it is worked on, or check the id.");
        }
        assertThat(used).isEmpty();
    }

    @Test
    @DisplayName("runIfFree(...) and runWhenFree(...) skip work that is finished, or whose key cools down")
    void skipsWhatIsFinishedOrCools() throws InterruptedException {
        Leasehold leasehold = Leasehold.with(ann.leases);
        bob.acquire(KEY).release(TTL);
        assertThat(leasehold.runIfFree(KEY, used::add)).isFalse();
        assertThat(leasehold.runWhenFree(KEY, Duration.ZERO, used::add)).isFalse();
        bench.advance(TTL);
        bob.acquire(KEY, NO_WAIT.forRun()).settle(Settlement.done(null, TTL));
        assertThat(leasehold.runIfFree(KEY, used::add)).isFalse();
        assertThat(leasehold.runWhenFree(KEY, Duration.ZERO, used::add)).isFalse();
        assertThat(used).isEmpty();
    }

    private void loseToBob(Lease lease) {
        bench.memory.release(ReleaseRequest.of(lease.ref()));
        used.add(bob.acquire(KEY));
        bench.advanceSeconds(10);
    }

    @Test
    @DisplayName("A plain string is a key of asynchronous work too")
    void asynchronousWorkByName() {
        CompletableFuture<String> result = ann.leases.withAsync(
                "a/b",
                NO_WAIT,
                lease -> CompletableFuture.completedFuture(lease.key().value()));
        assertThat(result).isCompletedWithValue(Key.of("a/b").value());
    }

    @Test
    @DisplayName("Leases that nobody works under are given back when the client is closed")
    void idleLeasesAreGivenBack() {
        Lease lease = ann.acquire(KEY);
        ann.leases.close();
        assertThat(lease.isValid()).isFalse();
        assertThat(ann.told()).containsExactly("lock:acquired", "lock:released");
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
    }

    @Test
    @DisplayName("Work is not begun without the lease: lock-unavailable, with the holder in the message")
    void noWorkWithoutTheLease() {
        bob.acquire(KEY);
        assertThatThrownBy(() -> ann.leases.with(KEY, NO_WAIT, used::add))
                .isInstanceOfSatisfying(
                        LeaseException.class,
                        error -> assertThat(error.code()).isEqualTo(LeaseException.Code.UNAVAILABLE))
                .hasMessageContaining("held by bob");
        assertThat(used).isEmpty();
    }

    @Test
    @DisplayName("Work is interrupted when its lease is lost, if it wants that, and the flag does not outlive it")
    void workIsInterruptedOnLoss() throws InterruptedException {
        boolean wasInterrupted = ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            ann.store.cutOff();
            bench.advance(TTL);
            lease.release();
            return Thread.currentThread().isInterrupted();
        });
        assertThat(wasInterrupted).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("An interrupt that is not ours stays when the work ends, whether the lease is lost or not")
    void otherInterruptsStay() throws InterruptedException {
        ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            Thread.currentThread().interrupt();
            ann.store.cutOff();
            bench.advance(TTL);
            assertThat(lease.state()).isEqualTo(LeaseState.LOST);
            lease.release();
            return used.add(lease);
        });
        assertThat(Thread.interrupted()).isTrue();
        ann.store.heal();
        bench.advance(TTL);
        ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            Thread.currentThread().interrupt();
            return used.add(lease);
        });
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("A lease that is used often, with interrupts on loss, gathers no listeners")
    void usesLeaveNoListeners() {
        FailingClockwork clockwork = new FailingClockwork(bench.time);
        Bench.Client eve = bench.client("eve", clockwork);
        Lease lease = eve.acquire(KEY, NO_WAIT.interruptingOnLoss());
        for (int use = 0; use < 1_000; use++) {
            assertThat(lease.<Boolean, RuntimeException>use(Lease::isValid)).isTrue();
        }
        int before = clockwork.dispatches();
        lease.abandon("as the test wants");
        assertThat(clockwork.dispatches() - before).isLessThan(10);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("Work is not interrupted unless it wants that, nor after it has ended")
    void workIsNotInterruptedOtherwise() throws InterruptedException {
        boolean wasInterrupted = ann.leases.with(KEY, NO_WAIT, lease -> {
            ann.store.cutOff();
            bench.advance(TTL);
            lease.release();
            return Thread.currentThread().isInterrupted();
        });
        assertThat(wasInterrupted).isFalse();
        ann.store.heal();
        bench.advance(Duration.ofSeconds(5));
        ann.leases.with(KEY, NO_WAIT.interruptingOnLoss(), lease -> {
            ann.store.always(Verb.RELEASE, new Fault.LostRequest());
            return used.add(lease);
        });
        bench.advance(TTL.multipliedBy(2));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    @DisplayName("Two releases of a lost lease, the holder's and the scope's, both end, be the store slow or away")
    void lostAndReleasedTwice() {
        for (Fault fault : List.of(new Fault.SlowReply(Duration.ofSeconds(1)), new Fault.NoReply())) {
            ann.events.clear();
            used.clear();
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> result = ann.leases.withAsync(KEY, NO_WAIT, lease -> {
                loseToBob(lease);
                used.add(lease);
                return work;
            });
            ann.store.always(Verb.RELEASE, fault);

            CompletableFuture<ReleaseOutcome> first = used.get(1).releaseAsync();
            work.complete("done");
            assertThat(result).isNotDone();
            bench.advance(TTL);

            boolean isAway = fault instanceof Fault.NoReply;
            assertThat(first).isCompletedWithValue(isAway ? ReleaseOutcome.UNKNOWN : ReleaseOutcome.LOST);
            assertThat(result).as(fault.toString()).isCompletedWithValue("done");
            assertThat(ann.told())
                    .containsExactly("lock:acquired", "lock:lost", isAway ? "lock:cleanup-warning" : "lock:released");
            ann.store.heal();
            used.get(0).release();
        }
    }

    @Test
    @DisplayName("Asynchronous work that fails under a lost lease ends in its failure, with the loss suppressed in it")
    void asynchronousLossAndFailure() {
        IOException failure = new IOException("no paper");
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = ann.leases.withAsync(KEY, NO_WAIT, lease -> work);
        bench.time.shiftStoreClock(TTL);
        bob.acquire(KEY);
        work.completeExceptionally(failure);
        assertThat(result).failsWithin(Duration.ZERO).withThrowableThat().withCause(failure);
        assertThat(failure.getSuppressed()).hasSize(1).hasOnlyElementsOfType(LeaseLostException.class);
    }
}
