package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Attempt;
import dev.leasehold.once.Failure;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Resolution;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.RunView;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runners go silent, wake up too late, and lose replies. */
abstract class RunOnceOwnership extends RunOnceAnswers {
    private static final FaultyStore.Fault LOST_REQUEST = new FaultyStore.Fault.LostRequest();
    private static final FaultyStore.Fault LOST_REPLY = new FaultyStore.Fault.LostReply();

    /** Its runner is silent from the start, and its lease runs out while it works. */
    private Outcome<String> runAsZombie(Key key, RunSpec<String> spec, Meanwhile meanwhile) throws Exception {
        return once(silent(), key, spec).run(run -> {
            elapse(ttl());
            return meanwhile.act();
        });
    }

    private interface Meanwhile {
        String act() throws Exception;
    }

    @Test
    @DisplayName("O09 A runner that was taken over cannot record its answer, and is told so")
    final void zombieCannotComplete() throws Exception {
        Key key = key();

        Outcome<String> late = runAsZombie(key, briefSpec(), () -> {
            Outcome.Ran<String> successor = ran(once(bob, key).run(work()));
            assertThat(successor.attempt()).isEqualTo(2);
            return "late";
        });

        assertThat(unrecorded(late).value()).isEqualTo("late");
        assertThat(unrecorded(late).isLeaseLost()).isTrue();
        assertThat(replayed(once(ann, key).run(never())).value()).isEqualTo("run 1");
    }

    @Test
    @DisplayName("O09 The successor sees from whom it took over, and goes on at the checkpoint")
    final void successorGoesOn() throws Exception {
        Key key = key();
        List<Outcome<String>> successors = new ArrayList<>();

        Outcome<String> late = once(silent(), key, briefSpec()).run(run -> {
            run.checkpoint("half".getBytes(StandardCharsets.UTF_8));
            elapse(ttl());
            successors.add(once(bob, key).run(next -> {
                assertThat(next.predecessor())
                        .get()
                        .satisfies(it -> assertThat(it.fence()).isEqualTo(run.fence()));
                assertThat(next.history()).extracting(Attempt::ending).containsExactly(Attempt.Ending.WENT_SILENT);
                assertThat(next.checkpoint()).get().isEqualTo("half".getBytes(StandardCharsets.UTF_8));
                assertThatThrownBy(() -> run.checkpoint(new byte[] {1})).isInstanceOf(LeaseLostException.class);
                return "whole";
            }));
            return "late";
        });

        assertThat(unrecorded(late).isLeaseLost()).isTrue();
        assertThat(ran(successors.get(0)).value()).isEqualTo("whole");
        assertThat(once(ann, key).peek().history())
                .extracting(Attempt::ending)
                .containsExactly(Attempt.Ending.WENT_SILENT, Attempt.Ending.DONE);
    }

    @Test
    @DisplayName("O09 A runner whose lease ran out and was not taken over still records its answer")
    final void lateAnswerCounts() throws Exception {
        Key key = key();
        Outcome<String> late = runAsZombie(key, briefSpec(), () -> {
            Threads.pause(ttl());
            return "late";
        });
        assertThat(ran(late).value()).isEqualTo("late");
        assertThat(replayed(once(bob, key).run(never())).value()).isEqualTo("late");
    }

    @Test
    @DisplayName("O10 A runner that was taken over and fails, in whatever way, leaves its successor's run alone")
    final void zombieCannotFail() throws Exception {
        for (Verdict verdict : Verdict.values()) {
            Key key = key();
            RunSpec<String> spec = briefSpec().withFailurePolicy((error, attempt) -> verdict);
            CompletableFuture<Void> isAsleep = new CompletableFuture<>();
            CompletableFuture<Void> wakeUp = new CompletableFuture<>();
            CompletableFuture<Outcome<String>> zombie =
                    async(() -> once(silent(), key, spec).run(run -> {
                        isAsleep.complete(null);
                        wakeUp.get(10, TimeUnit.SECONDS);
                        throw new IOException("too late");
                    }));
            isAsleep.get(10, TimeUnit.SECONDS);
            elapse(ttl());

            Outcome<String> successor = once(bob, key).run(run -> {
                LeaseRecord before = record(key);
                wakeUp.complete(null);
                assertThatThrownBy(() -> zombie.get(10, TimeUnit.SECONDS)).hasRootCauseMessage("too late");
                assertThat(record(key)).as("after %s", verdict).isEqualTo(before);
                return "the successor's";
            });

            assertThat(ran(successor).value()).isEqualTo("the successor's");
            assertThat(replayed(once(ann, key).run(never())).value()).isEqualTo("the successor's");
        }
    }

    @Test
    @DisplayName("O10 A caller that is turned away changes nothing, whatever it is told")
    final void rejectedCallerChangesNothing() throws Exception {
        Key key = key();
        once(ann, key).run(run -> {
            LeaseRecord before = record(key);
            inProgress(once(bob, key).run(never()));
            mismatch(once(bob, key).of(OTHER_REQUEST).run(never()));
            assertThat(record(key)).isEqualTo(before);
            run.ensure();
            return "done";
        });
    }

    @Test
    @DisplayName("O07 A run whose runner went silent goes on hold, if the spec says so")
    final void silentRunGoesOnHold() throws Exception {
        Key key = key();
        take(AcquireRequest.of(key, nonce(), Owner.of("dead"), brief()).withFingerprint(REQUEST.toString()));
        elapse(brief());
        assertThat(once(bob, key).peek().standing()).isEqualTo(RunView.Standing.STALE);

        Outcome.OnHold<String> held =
                onHold(once(bob, key, spec().withOnStale(OnStale.HOLD)).run(never()));

        assertThat(held.reason()).contains("its lease expired");
        assertThat(onHold(once(ann, key).run(never())).fence()).isEqualTo(held.fence());
        assertThat(once(ann, key).resolve(held.fence(), Resolution.cleared())).isTrue();
        assertThat(ran(once(ann, key).run(work())).attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("O12 Silent attempts count: beyond the cap nobody runs")
    final void silentAttemptsCount() throws Exception {
        Key key = key();
        take(ask(key, brief()));
        elapse(brief());

        Outcome.Refused<String> refused =
                refused(once(bob, key, spec().withMaxAttempts(1)).run(never()));

        assertThat(refused.failure().code()).isEqualTo(Failure.ATTEMPTS_EXHAUSTED);
        assertThat(once(ann, key).peek().history())
                .extracting(Attempt::ending)
                .containsExactly(Attempt.Ending.WENT_SILENT);
    }

    @Test
    @DisplayName("O12 A waiter that died before its turn neither uses up an attempt nor puts the run on hold")
    final void deadWaiterIsNoAttempt() throws Exception {
        Key key = key();
        RunSpec<String> twice = spec().withMaxAttempts(2).withOnStale(OnStale.HOLD);
        assertThatThrownBy(() -> once(ann, key, twice).run(run -> {
                    Owner dead = Owner.of("dead");
                    store.acquire(AcquireRequest.of(key, nonce(), dead, LONG)
                            .withFingerprint(REQUEST.toString())
                            .inLineFor(LONG));
                    throw new IOException("first");
                }))
                .isInstanceOf(IOException.class);
        elapse(LeaseRules.HAND_OVER);

        assertThat(once(bob, key, twice).peek().attempts()).isEqualTo(2);
        assertThat(ran(once(bob, key, twice).run(work())).attempt()).isEqualTo(2);

        assertThat(once(ann, key).peek().history())
                .extracting(Attempt::ending)
                .containsExactly(Attempt.Ending.CLEARED, Attempt.Ending.DONE);
    }

    @Test
    @DisplayName("O12 Nor does one that died when a lock on the key of the run was released")
    final void deadWaiterForALockIsNoAttempt() throws Exception {
        Key key = key();
        LeaseRef lock = take(ask(key, LONG));
        held(store.acquire(ask(key, LONG).withFingerprint(REQUEST.toString()).inLineFor(LONG)));
        store.release(ReleaseRequest.of(lock));
        elapse(LeaseRules.HAND_OVER);

        RunSpec<String> once = spec().withMaxAttempts(1).withOnStale(OnStale.HOLD);

        assertThat(ran(once(bob, key, once).run(work())).attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("O15 A run with a far deadline is never taken for an orphan")
    final void longLeaseIsNoOrphan() throws Exception {
        Key key = key();
        once(ann, key, spec().withLeaseTtl(AcquireRequest.MAX_TTL)).run(run -> {
            elapse(isTimeReal() ? brief() : Duration.ofDays(365));
            inProgress(once(bob, key).run(never()));
            return "done";
        });
        assertThat(record(key).state()).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("O17 Work that outlives its lease's TTL is done once, because the lease is renewed")
    final void renewedRunIsOne() throws Exception {
        Key key = key();
        once(ann, key, briefSpec()).run(run -> {
            for (int i = 0; i < 8; i++) {
                Threads.pause(ttl().dividedBy(4));
                inProgress(once(bob, key, briefSpec()).run(never()));
            }
            run.ensure();
            return "done";
        });
        assertThat(replayed(once(bob, key).run(never())).value()).isEqualTo("done");
    }

    @Test
    @DisplayName("O17 Work that outlives the longest run is told, and somebody else may start")
    final void longestRunEnds() throws Exception {
        Key key = key();
        RunSpec<String> limited = briefSpec().withLongestRun(ttl().multipliedBy(2));
        CompletableFuture<String> told = new CompletableFuture<>();

        Outcome<String> late = once(ann, key, limited).run(run -> {
            run.onLost(told::complete);
            told.get(10, TimeUnit.SECONDS);
            assertThatThrownBy(run::ensure).isInstanceOf(LeaseLostException.class);
            assertThat(record(key).state()).as("left to its TTL").isEqualTo(State.HELD);
            elapse(ttl());
            assertThat(ran(once(bob, key).run(work())).attempt()).isEqualTo(2);
            return "late";
        });

        assertThat(unrecorded(late).isLeaseLost()).isTrue();
    }

    @Test
    @DisplayName("O17 Work that stops because its lease is lost is not judged, and counts as silent")
    final void stoppedWorkWentSilent() throws Exception {
        Key key = key();
        RunSpec<String> spec = briefSpec().withFailurePolicy((error, attempt) -> Verdict.TERMINAL);
        assertThatThrownBy(() -> once(silent(), key, spec).run(run -> {
                    Threads.eventually("lost", () -> !run.isValid());
                    run.ensure();
                    return "not reached";
                }))
                .isInstanceOf(LeaseLostException.class);
        elapse(ttl());
        assertThat(once(bob, key).peek().standing()).isEqualTo(RunView.Standing.STALE);
        assertThat(ran(once(bob, key, spec().withOnStale(OnStale.RERUN)).run(work()))
                        .attempt())
                .isEqualTo(2);
    }

    @Test
    @DisplayName("O18 The reply to the beginning was lost: it is the same attempt, and the work is done once")
    final void lostBeginningIsOneAttempt() throws Exception {
        Key key = key();
        FaultyStore faulty = FaultyStore.inRealTime(store);
        faulty.next(FaultyStore.Verb.ACQUIRE, LOST_REPLY);

        assertThat(ran(once(client(faulty), key).run(work())).attempt()).isEqualTo(1);

        assertThat(runs).hasValue(1);
        assertThat(replayed(once(bob, key).run(never())).attempts()).isEqualTo(1);
    }

    @Test
    @DisplayName("O08 The reply to the end was lost: it is asked again, and the run has ended well")
    final void lostEndIsAskedAgain() throws Exception {
        Key key = key();
        FaultyStore faulty = FaultyStore.inRealTime(store);
        for (int i = 0; i < 5; i++) {
            faulty.next(FaultyStore.Verb.SETTLE, LOST_REPLY);
        }

        assertThat(ran(once(client(faulty), key).run(work())).value()).isEqualTo("run 1");

        assertThat(faulty.struck()).hasSize(5);
        assertThat(replayed(once(bob, key).run(never())).value()).isEqualTo("run 1");
    }

    @Test
    @DisplayName("O08 The end does not reach the store: done but unrecorded, and the record is left to its TTL")
    final void unrecordedEndIsTold() throws Exception {
        Key key = key();
        FaultyStore faulty = FaultyStore.inRealTime(store).always(FaultyStore.Verb.SETTLE, LOST_REQUEST);

        Outcome.Unrecorded<String> outcome =
                unrecorded(once(client(faulty), key, briefSpec()).run(work()));

        assertThat(outcome.value()).isEqualTo("run 1");
        assertThat(outcome.isLeaseLost()).as("the store did not answer").isFalse();
        assertThat(outcome.isUsersRecord()).isFalse();
        assertThat(record(key).state()).isEqualTo(State.HELD);
        assertThat(record(key).fence()).isEqualTo(outcome.fence());
        elapse(ttl());
        assertThat(ran(once(bob, key).run(work())).attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("O11 The work's error is never masked by the store's, which is suppressed in it")
    final void errorIsNotMasked() throws Exception {
        for (Exception error : List.of(new IOException("mine"), new TerminalException(Failure.of("mine", "mine")))) {
            Key key = key();
            FaultyStore faulty = FaultyStore.inRealTime(store);
            Once<String> run = once(client(faulty), key, briefSpec());

            assertThatThrownBy(() -> run.run(held -> {
                        faulty.cutOff();
                        throw error;
                    }))
                    .isSameAs(error);

            assertThat(error.getSuppressed()).isNotEmpty();
            faulty.heal();
        }
    }

    @Test
    @DisplayName("O17 A client that is closed leaves a run under way to its TTL")
    final void closedClientLeavesTheRun() throws Exception {
        Key key = key();
        Leases closing = client(store);
        Outcome<String> outcome = once(closing, key, briefSpec()).run(run -> {
            closing.close();
            assertThat(run.isValid()).isFalse();
            inProgress(once(bob, key).run(never()));
            return "done";
        });
        assertThat(outcome).isInstanceOfAny(Outcome.Ran.class, Outcome.Unrecorded.class);
    }

    @Test
    @DisplayName("O19 Runs inside runs, in both orders at once, do not lock each other up")
    final void nestedRunsDoNotDeadlock() throws Exception {
        Key left = key();
        Key right = key();
        List<Outcome<String>> outcomes = Race.of(2, racer -> () -> {
            Key outer = racer == 0 ? left : right;
            Key inner = racer == 0 ? right : left;
            return once(racer == 0 ? ann : bob, outer)
                    .run(run -> once(ann, inner, spec().waitingFor(Duration.ofMillis(300)))
                            .run(work())
                            .getClass()
                            .getSimpleName());
        });
        assertThat(outcomes)
                .hasSize(2)
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfAny(Outcome.Ran.class, Outcome.Replayed.class, Outcome.InProgress.class));
    }

    static CompletableFuture<Outcome<String>> async(Callable<Outcome<String>> call) {
        CompletableFuture<Outcome<String>> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(call.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        thread.start();
        return result;
    }
}
