package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.leasehold.once.Attempt;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.once.Fingerprint;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Resolution;
import dev.leasehold.once.ResultException;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.RunView;
import dev.leasehold.once.TerminalException;
import dev.leasehold.once.Verdict;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Payload;
import dev.leasehold.store.State;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The work is done, its answer kept, replayed, refused, forgotten. */
abstract class RunOnceAnswers extends RunOnceFixture {
    @Test
    @DisplayName("O01 The first caller does the work, and its answer is kept")
    final void firstCallerRuns() throws Exception {
        Key key = key();

        Outcome.Ran<String> ran = ran(once(ann, key).run(work()));

        assertThat(ran.value()).isEqualTo("run 1");
        assertThat(ran.attempt()).isEqualTo(1);
        assertThat(ran.fence()).isEqualTo(record(key).fence());
        assertThat(record(key).state()).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("O02 Later callers are given the same answer, and the work is not done again")
    final void laterCallersAreAnswered() throws Exception {
        Key key = key();
        Outcome.Ran<String> ran = ran(once(ann, key).run(work()));
        LeaseRecord before = record(key);

        Outcome.Replayed<String> replayed = replayed(once(bob, key).run(never()));

        assertThat(replayed.value()).isEqualTo("run 1");
        assertThat(replayed.fence()).isEqualTo(ran.fence());
        assertThat(replayed.attempts()).isEqualTo(1);
        assertThat(replayed.keptFor()).isPositive().isLessThanOrEqualTo(RunSpec.DEFAULT_RETENTION);
        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("O02 The work's bytes come back as they were, also none and null")
    final void bytesComeBack() throws Exception {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        for (byte[] bytes : new byte[][] {all, {}, {0}}) {
            Once<byte[]> first = Once.on(ann, key(), RunSpec.of(Codec.bytes()));
            first.run(run -> bytes);
            assertThat(first.run(run -> new byte[] {9}).toOptional())
                    .isPresent()
                    .get()
                    .isEqualTo(bytes);
        }
        Key key = key();
        assertThat(ran(once(ann, key).run(run -> null)).value()).isNull();
        assertThat(replayed(once(bob, key).run(never())).value()).isNull();
        Once<Void> nothing = Once.on(ann, key(), RunSpec.of(Codec.nothing()));
        assertThat(nothing.run(run -> null)).isInstanceOf(Outcome.Ran.class);
        assertThat(nothing.run(run -> null)).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    @DisplayName("O04 Another request is a mismatch while the first runs, is done, has failed or is on hold")
    final void otherRequestIsAMismatch() throws Exception {
        Key done = key();
        once(ann, done).run(run -> {
            assertThat(mismatch(once(bob, done).of(OTHER_REQUEST).run(never())).state())
                    .isEqualTo(State.HELD);
            return "done";
        });
        Key failed = key();
        once(ann, failed).run(failing(new TerminalException(Failure.of("no", "never"))));
        Key held = key();
        once(ann, held, spec().withFailurePolicy((error, attempt) -> Verdict.HOLD))
                .run(failing(new IOException("?")));

        assertThat(mismatch(once(bob, done).of(OTHER_REQUEST).run(never())).state())
                .isEqualTo(State.DONE);
        assertThat(mismatch(once(bob, failed).of(OTHER_REQUEST).run(never())).state())
                .isEqualTo(State.FAILED);
        assertThat(mismatch(once(bob, held).of(OTHER_REQUEST).run(never())).state())
                .isEqualTo(State.HOLD);
        assertThat(once(bob, done).of(OTHER_REQUEST).peek().outcome()).get().isInstanceOf(Outcome.Mismatch.class);
        assertThat(replayed(once(bob, done).of(Fingerprint.none()).run(never())).value())
                .isEqualTo("done");
    }

    @Test
    @DisplayName("O11 A failure that clears is thrown as it is, and the very next caller runs")
    final void clearedFailureLetsTheNextRun() throws Exception {
        Key key = key();
        IOException error = new IOException("the network");

        assertThatThrownBy(() -> once(ann, key).run(failing(error))).isSameAs(error);
        assertThat(error.getSuppressed()).isEmpty();

        Outcome.Ran<String> ran = ran(once(bob, key).run(work()));
        assertThat(ran.attempt()).isEqualTo(2);
        assertThat(replayed(once(ann, key).run(never())).attempts()).isEqualTo(2);
    }

    @Test
    @DisplayName("O11 A failure for good is the answer, with code, message and detail")
    final void terminalFailureIsReplayed() throws Exception {
        Key key = key();
        Failure failure = new Failure("card-refused", "The card was refused.", Payload.of("51"));
        TerminalException error = new TerminalException(failure);

        Outcome.Refused<String> first = refused(once(ann, key).run(failing(error)));
        Outcome.Refused<String> second = refused(once(bob, key).run(never()));

        assertThat(first.failure()).isEqualTo(failure);
        assertThat(first.cause()).isSameAs(error);
        assertThat(second.failure()).isEqualTo(failure);
        assertThat(second.cause()).isNull();
        assertThat(second.fence()).isEqualTo(first.fence());
    }

    @Test
    @DisplayName("O11 What an error means is decided by the policy, per error and attempt, for Errors as well")
    final void policyDecides() throws Exception {
        Key key = key();
        RunSpec<String> patient =
                spec().withFailurePolicy((error, attempt) -> attempt < 2 ? Verdict.CLEAR : Verdict.TERMINAL);
        AssertionError first = new AssertionError("first");

        assertThatThrownBy(() -> once(ann, key, patient).run(run -> {
                    throw first;
                }))
                .isSameAs(first);
        Outcome.Refused<String> second = refused(once(bob, key, patient).run(failing(new IOException("second"))));

        assertThat(second.failure()).isEqualTo(Failure.of("java.io.IOException", "second"));
    }

    @Test
    @DisplayName("O11 A run on hold is run by nobody until somebody resolves it, once, for the fence that was seen")
    final void onHoldUntilResolved() throws Exception {
        RunSpec<String> holding = spec().withFailurePolicy((error, attempt) -> Verdict.HOLD);
        Key key = key();
        IOException error = new IOException("timed out");
        Outcome.OnHold<String> first = onHold(once(ann, key, holding).run(failing(error)));
        assertThat(first.cause()).isSameAs(error);
        Outcome.OnHold<String> second = onHold(once(bob, key).run(never()));
        assertThat(second.reason()).contains("timed out");
        Fence seen = second.fence();

        assertThat(once(bob, key).resolve(Fence.of(seen.value() - 1), Resolution.done("it was done")))
                .isFalse();
        assertThat(once(bob, key).resolve(seen, Resolution.done("it was done"))).isTrue();
        assertThat(once(ann, key).resolve(seen, Resolution.cleared())).isFalse();

        assertThat(replayed(once(ann, key).run(never())).value()).isEqualTo("it was done");
    }

    @Test
    @DisplayName("O11 A run on hold is resolved as failed, or cleared for the next caller")
    final void onHoldIsFailedOrCleared() throws Exception {
        RunSpec<String> holding = spec().withFailurePolicy((error, attempt) -> Verdict.HOLD);
        Key failed = key();
        Fence one = onHold(once(ann, failed, holding).run(failing(new IOException("?"))))
                .fence();
        Key cleared = key();
        Fence two = onHold(once(ann, cleared, holding).run(failing(new IOException("?"))))
                .fence();

        assertThat(once(bob, failed).resolve(one, Resolution.failed(Failure.of("lost", "It was lost."))))
                .isTrue();
        assertThat(once(bob, cleared).resolve(two, Resolution.cleared())).isTrue();

        assertThat(refused(once(bob, failed).run(never())).failure().code()).isEqualTo("lost");
        assertThat(ran(once(bob, cleared).run(work())).attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("O12 Attempts are counted through failures, and none is made beyond the cap")
    final void attemptsAreCapped() throws Exception {
        Key key = key();
        RunSpec<String> twice = spec().withMaxAttempts(2);
        for (int attempt = 1; attempt <= 2; attempt++) {
            IOException error = new IOException("attempt " + attempt);
            assertThatThrownBy(() -> once(ann, key, twice).run(failing(error))).isSameAs(error);
        }

        Outcome.Refused<String> exhausted = refused(once(bob, key, twice).run(never()));

        assertThat(exhausted.failure().code()).isEqualTo(Failure.ATTEMPTS_EXHAUSTED);
        assertThat(exhausted.failure().message()).contains("attempt 2");
        assertThat(exhausted.attempts()).isEqualTo(2);
    }

    @Test
    @DisplayName("O12 An attempt that the policy resets does not count, not even as the last")
    final void resetAttemptDoesNotCount() throws Exception {
        Key key = key();
        RunSpec<String> twice = spec().withMaxAttempts(2)
                .withFailurePolicy(
                        (error, attempt) -> error instanceof InterruptedException ? Verdict.RESET : Verdict.CLEAR);
        assertThatThrownBy(() -> once(ann, key, twice).run(failing(new IOException("the network"))))
                .isInstanceOf(IOException.class);
        InterruptedException stopped = new InterruptedException("the process ends");
        assertThatThrownBy(() -> once(ann, key, twice).run(failing(stopped))).isSameAs(stopped);

        assertThat(ran(once(bob, key, twice).run(work())).attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("O12 The record remembers how each attempt ended")
    final void historyIsKept() throws Exception {
        Key key = key();
        assertThatThrownBy(() -> once(ann, key).run(failing(new IOException("the network"))))
                .isInstanceOf(IOException.class);
        assertThat(once(bob, key).peek().standing()).isEqualTo(RunView.Standing.CLEARED);
        assertThat(once(bob, key).peek().outcome()).isEmpty();
        once(bob, key).run(run -> {
            assertThat(run.history()).extracting(Attempt::ending).containsExactly(Attempt.Ending.CLEARED);
            return "done";
        });

        RunView<String> view = once(ann, key).peek();

        assertThat(view.standing()).isEqualTo(RunView.Standing.DONE);
        assertThat(view.attempts()).isEqualTo(2);
        assertThat(view.history())
                .extracting(Attempt::number, Attempt::ending)
                .containsExactly(tuple(1, Attempt.Ending.CLEARED), tuple(2, Attempt.Ending.DONE));
        assertThat(view.history().get(0).note()).contains("the network");
        assertThat(view.history().get(1).fence()).isEqualTo(view.fence());
    }

    @Test
    @DisplayName("O13 When its retention is over, the answer is forgotten and the work is done again")
    final void answerIsForgotten() throws Exception {
        Key key = key();
        Duration retention = brief();
        Outcome.Ran<String> first =
                ran(once(ann, key, spec().withRetention(retention)).run(work()));
        elapse(retention);
        assertThat(once(bob, key).peek().standing()).isEqualTo(RunView.Standing.ABSENT);

        Outcome.Ran<String> second = ran(once(bob, key).of(OTHER_REQUEST).run(work()));

        assertThat(second.value()).isEqualTo("run 2");
        assertThat(second.attempt()).isEqualTo(1);
        assertThat(second.fence()).isGreaterThan(first.fence());
    }

    @Test
    @DisplayName("O13 An answer that is forgotten on purpose is forgotten, if it is the one that was seen")
    final void answerIsForgottenOnPurpose() throws Exception {
        Key key = key();
        Fence first = ran(once(ann, key).run(work())).fence();

        assertThat(once(bob, key).forget(Fence.of(first.value() + 1))).isFalse();
        assertThat(once(bob, key).forget(first)).isTrue();
        Outcome.Ran<String> second = ran(once(ann, key).run(work()));

        assertThat(second.value()).isEqualTo("run 2");
        assertThat(once(bob, key).forget(first)).isFalse();
        assertThat(replayed(once(bob, key).run(never())).value()).isEqualTo("run 2");
    }

    @Test
    @DisplayName("O13 A run under way cannot be forgotten")
    final void liveRunIsNotForgotten() throws Exception {
        Key key = key();
        once(ann, key).run(run -> {
            assertThat(once(bob, key).forget(run.fence())).isFalse();
            assertThat(once(bob, key).resolve(run.fence(), Resolution.done("no")))
                    .isFalse();
            store.purge(Duration.ZERO, Integer.MAX_VALUE);
            return inProgress(once(bob, key).run(never())).toString();
        });
        assertThat(replayed(once(bob, key).run(never())).value()).startsWith("InProgress");
    }

    @Test
    @DisplayName("O14 A result too large or not encodable is refused before it is called done, and goes by the policy")
    final void badResultIsRefused() throws Exception {
        Key key = key();
        RunSpec<String> small = spec().withLargestResult(10);

        assertThat(ran(once(ann, key(), small).run(run -> "0123456789")).value())
                .hasSize(10);
        assertThatThrownBy(() -> once(ann, key, small).run(run -> "0123456789A"))
                .isInstanceOf(ResultException.class)
                .hasMessageContaining(key.value())
                .hasMessageContaining("11")
                .hasMessageContaining("at most 10");
        assertThat(once(bob, key).peek().standing()).isEqualTo(RunView.Standing.CLEARED);
        assertThatThrownBy(() -> once(ann, key).run(run -> "\uD800"))
                .isInstanceOf(ResultException.class)
                .hasMessageContaining(key.value());

        RunSpec<String> careful = small.withFailurePolicy((error, attempt) -> Verdict.HOLD);
        assertThat(onHold(once(bob, key, careful).run(run -> "0123456789A")).reason())
                .contains("at most 10");
    }

    @Test
    @DisplayName("O02 An answer that cannot be read says for which key, and is left alone")
    final void unreadableAnswerIsLeftAlone() throws Exception {
        Key key = key();
        Once.on(ann, key, RunSpec.of(Codec.bytes())).run(run -> new byte[] {(byte) 0xFF});
        LeaseRecord before = record(key);

        assertThatThrownBy(() -> once(bob, key).of(Fingerprint.none()).run(never()))
                .isInstanceOf(ResultException.class)
                .hasMessageContaining(key.value());

        assertThat(record(key)).isEqualTo(before);
    }

    @Test
    @DisplayName("O02 Looking claims nothing")
    final void peekClaimsNothing() throws Exception {
        Key key = key();
        assertThat(once(bob, key).peek().standing()).isEqualTo(RunView.Standing.ABSENT);
        assertThat(store.find(key)).isEqualTo(Optional.empty());
        once(ann, key).run(run -> {
            RunView<String> view = once(bob, key).peek();
            assertThat(view.standing()).isEqualTo(RunView.Standing.RUNNING);
            assertThat(view.outcome()).get().isInstanceOf(Outcome.InProgress.class);
            return "done";
        });
        assertThat(once(bob, key).peek().outcome()).get().isInstanceOf(Outcome.Replayed.class);
    }
}
