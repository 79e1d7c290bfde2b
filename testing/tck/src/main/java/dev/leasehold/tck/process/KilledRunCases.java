package dev.leasehold.tck.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Attempt;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Resolution;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.State;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runs whose process is killed. */
abstract class KilledRunCases extends ProcessFixture {
    /** Where the process is killed. */
    enum Point {
        BEFORE_REPLY_TO_BEGIN("acquire", false),
        AFTER_BEGIN(null, false),
        AFTER_EFFECT(null, false),
        AFTER_EFFECT_UNSURE(null, false),
        BEFORE_REPLY_TO_END("settle", false),
        /** The record knows that the attempt failed; it is not given back yet. */
        BEFORE_REPLY_TO_NOTE("settle", true),
        BEFORE_REPLY_TO_RELEASE("release", true);

        private final @Nullable String verb;
        private final boolean fails;

        Point(@Nullable String verb, boolean fails) {
            this.verb = verb;
            this.fails = fails;
        }

        Key key() {
            return Key.of("killed/" + name());
        }

        Effects effects(Path directory) {
            return new Effects(directory.resolve(name()));
        }

        /** The store does what the verb says, and nobody hears of it. */
        private LeaseStore standingStill(LeaseStore store) {
            return (LeaseStore) Proxy.newProxyInstance(
                    Point.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (self, method, arguments) -> {
                        Object answer;
                        try {
                            answer = method.invoke(store, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                        if (method.getName().equals(verb)) {
                            Child.standStill(this);
                        }
                        return answer;
                    });
        }

        private String work(Path directory) throws IOException {
            if (this == AFTER_BEGIN) {
                Child.standStill(this);
            }
            effects(directory).add("by the dead");
            if (this == AFTER_EFFECT || this == AFTER_EFFECT_UNSURE) {
                Child.standStill(this);
            }
            if (fails) {
                throw new IOException("the network");
            }
            return "the dead one's";
        }
    }

    /** Does the run of a point, and stands still there. */
    static final class Runner {
        private Runner() {}

        public static void main(String[] arguments) throws Exception {
            Point point = Point.valueOf(arguments[0]);
            Path directory = Path.of(arguments[1]);
            RunSpec<String> spec = spec().withLeaseTtl(Duration.parse(arguments[2]));
            Leases leases = Leases.on(point.standingStill(Child.open(arguments, 3)));
            Child.start(() -> Once.on(leases, point.key(), spec).run(run -> point.work(directory)));
        }
    }

    /** Where nobody waits for the dead, their leases would last for longer than any test. */
    private Duration ttlOfTheDead() {
        return freesTheDeadAtOnce() ? Duration.ofMinutes(10) : BRIEF;
    }

    /** For the next caller, who waits if the store makes him. */
    private RunSpec<String> next() {
        return freesTheDeadAtOnce() ? spec() : patient();
    }

    /** What a process leaves that is killed there. */
    private LeaseRecord killAt(Point point) {
        try (ChildJvm runner = start(Runner.class, point.name(), directory(), ttlOfTheDead())) {
            assertThat(runner.line()).isEqualTo(point.name());
        }
        return record(point.key());
    }

    private Once<String> once(Point point, RunSpec<String> spec) {
        return Once.on(leases, point.key(), spec);
    }

    private Effects effects(Point point) {
        return point.effects(directory());
    }

    /** The next caller does the work, when the dead one's lease is over, and sees whom it follows. */
    private void assertRunAgain(Point point) throws Exception {
        LeaseRecord dead = killAt(point);
        assertThat(dead.state()).isEqualTo(State.HELD);

        Outcome<String> outcome = once(point, next()).run(run -> {
            assertThat(run.predecessor()).map(Predecessor::fence).contains(dead.fence());
            assertThat(run.history())
                    .singleElement()
                    .matches(before -> before.ending() == Attempt.Ending.WENT_SILENT
                            && before.fence().equals(dead.fence()));
            assertTakenOverAfter(dead);
            effects(point).add("by the next");
            return "the next one's";
        });

        assertSecondAttempt(outcome);
        assertThat(once(point, spec()).run(KilledRunCases::never))
                .isInstanceOfSatisfying(
                        Outcome.Replayed.class,
                        replayed -> assertThat(replayed.value()).isEqualTo("the next one's"));
    }

    @Test
    @DisplayName("O05 A process is killed before it hears that it may begin: the next caller does the work, once,"
            + " when the lease is over")
    final void beforeTheReplyToBegin() throws Exception {
        assertRunAgain(Point.BEFORE_REPLY_TO_BEGIN);
        assertThat(effects(Point.BEFORE_REPLY_TO_BEGIN).all()).containsExactly("by the next");
    }

    @Test
    @DisplayName("O06 A process is killed when it has begun: the next caller does the work when the lease is over")
    final void afterBegin() throws Exception {
        assertRunAgain(Point.AFTER_BEGIN);
        assertThat(effects(Point.AFTER_BEGIN).all()).containsExactly("by the next");
    }

    @Test
    @DisplayName("O07 A process is killed after its effect: the next caller does the work again when the lease is over,"
            + " and sees that it is the second")
    final void afterTheEffect() throws Exception {
        assertRunAgain(Point.AFTER_EFFECT);
        assertThat(effects(Point.AFTER_EFFECT).all()).containsExactly("by the dead", "by the next");
    }

    @Test
    @DisplayName("O07 A process is killed after its effect: if the spec says so, the run is on hold until somebody"
            + " resolves it")
    final void afterTheEffectOnHold() throws Exception {
        Point point = Point.AFTER_EFFECT_UNSURE;
        Fence dead = killAt(point).fence();
        RunSpec<String> unsure = next().withOnStale(OnStale.HOLD);

        assertThat(once(point, unsure).run(KilledRunCases::never)).isInstanceOf(Outcome.OnHold.class);
        assertThat(once(point, next()).run(KilledRunCases::never)).isInstanceOf(Outcome.OnHold.class);
        Fence held = record(point.key()).fence();
        assertThat(held).isGreaterThan(dead);
        assertThat(once(point, unsure).resolve(dead, Resolution.cleared())).isFalse();
        assertThat(once(point, unsure).resolve(held, Resolution.done("it was done")))
                .isTrue();

        assertThat(once(point, unsure).run(KilledRunCases::never).toOptional()).contains("it was done");
        assertThat(effects(point).all()).containsExactly("by the dead");
    }

    @Test
    @DisplayName("O08 A process is killed before it hears that its answer is kept: that is the answer, at once")
    final void beforeTheReplyToTheEnd() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_END;
        Fence dead = killAt(point).fence();

        Outcome<String> outcome = once(point, spec()).run(KilledRunCases::never);

        assertThat(outcome).isInstanceOfSatisfying(Outcome.Replayed.class, replayed -> {
            assertThat(replayed.value()).isEqualTo("the dead one's");
            assertThat(replayed.fence()).isEqualTo(dead);
            assertThat(replayed.attempts()).isEqualTo(1);
        });
        assertThat(effects(point).all()).containsExactly("by the dead");
    }

    @Test
    @DisplayName("O11 A process is killed between noting its failure and giving the run back: the next caller does the"
            + " work, and knows that it failed")
    final void whileItGivesBack() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_NOTE;
        RunSpec<String> unsure = next().withOnStale(OnStale.HOLD);
        killAt(point);
        assertSecondAttempt(once(point, unsure).run(run -> "the next one's"));
        assertFirstAttemptCleared(point);
    }

    @Test
    @DisplayName("O11 A process is killed before it hears that its failed run is given back: the next caller does the"
            + " work, at once")
    final void whenItHasGivenBack() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_RELEASE;
        killAt(point);
        assertSecondAttempt(once(point, spec()).run(run -> "the next one's"));
        assertFirstAttemptCleared(point);
    }

    private void assertFirstAttemptCleared(Point point) {
        assertThat(once(point, spec()).peek().history())
                .extracting(Attempt::ending)
                .containsExactly(Attempt.Ending.CLEARED, Attempt.Ending.DONE);
    }
}
