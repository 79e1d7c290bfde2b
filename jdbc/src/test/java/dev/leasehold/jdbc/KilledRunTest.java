package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Attempt;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Resolution;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Predecessor;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@ParameterizedClass(name = "on {0}")
@EnumSource(Kind.class)
@DisplayName("A run whose process is killed")
class KilledRunTest {
    @TempDir
    private static Path directory;

    private static TestDatabase database;
    private static JdbcLeaseStore store;
    private static Leases leases;

    @Parameter
    private Kind kind;

    /** Where a process is killed. Each point has a run of its own. */
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
            return Key.of(name());
        }

        Path effects(Path directory) {
            return directory.resolve(name());
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
                            Runners.standStill(this);
                        }
                        return answer;
                    });
        }

        private String work(Path directory) throws IOException {
            if (this == AFTER_BEGIN) {
                Runners.standStill(this);
            }
            Runners.append(effects(directory), "by the dead");
            if (this == AFTER_EFFECT || this == AFTER_EFFECT_UNSURE) {
                Runners.standStill(this);
            }
            if (fails) {
                throw new IOException("the network");
            }
            return "the dead one's";
        }
    }

    /** Does a run for each point, and stands still at all of them. */
    static final class Runner {
        private Runner() {}

        public static void main(String[] arguments) {
            Path effects = Path.of(arguments[0]);
            JdbcLeaseStore store = Runners.open(arguments[1], arguments[2], arguments[3]);
            for (Point point : Point.values()) {
                Leases leases = Leases.on(point.standingStill(store));
                Runners.start(
                        () -> Once.on(leases, point.key(), Runners.brief()).run(run -> point.work(effects)));
            }
        }
    }

    @BeforeParameterizedClassInvocation
    static void killAtEveryPoint(Kind kind) throws Exception {
        database = kind.shared(Files.createDirectory(directory.resolve(kind.name())));
        store = JdbcLeaseStore.of(database.source());
        leases = Leases.on(store);
        List<String> arguments = new ArrayList<>(List.of(place(kind).toString()));
        arguments.addAll(database.address());
        List<String> reached = new ArrayList<>();
        try (OtherJvm runner = OtherJvm.start(Runner.class, arguments.toArray(String[]::new))) {
            for (int i = 0; i < Point.values().length; i++) {
                reached.add(runner.line());
            }
        }
        assertThat(reached).doesNotContain("null");
    }

    @AfterParameterizedClassInvocation
    static void close() {
        leases.close();
        store.close();
        database.close();
    }

    private static Path place(Kind kind) {
        return directory.resolve(kind.name());
    }

    private static Once<String> once(Point point, RunSpec<String> spec) {
        return Once.on(leases, point.key(), spec);
    }

    private static LeaseRecord record(Point point) {
        return store.find(point.key()).orElseThrow().record();
    }

    private List<String> effects(Point point) throws IOException {
        return Runners.effects(point.effects(place(kind)));
    }

    private static String never(Run<String> run) {
        return fail("The work was done again, attempt " + run.attempt() + ".");
    }

    /** The next caller does the work, when the dead one's lease is over and not before, and sees whom it follows. */
    private void assertRunAgainAfterTheTtl(Point point) throws Exception {
        LeaseRecord dead = record(point);
        assertThat(dead.state()).isEqualTo(State.HELD);

        Outcome<String> outcome = once(point, Runners.patient()).run(run -> {
            assertThat(run.predecessor()).map(Predecessor::fence).contains(dead.fence());
            assertThat(run.history())
                    .singleElement()
                    .matches(before -> before.ending() == Attempt.Ending.WENT_SILENT
                            && before.fence().equals(dead.fence()));
            Tenure tenure = Objects.requireNonNull(record(point).tenure());
            assertThat(tenure.sinceMicros()).isGreaterThanOrEqualTo(dead.expiryMicros());
            Runners.append(point.effects(place(kind)), "by the next");
            return "the next one's";
        });

        assertThat(outcome).isInstanceOfSatisfying(Outcome.Ran.class, ran -> {
            assertThat(ran.attempt()).isEqualTo(2);
            assertThat(ran.fence()).isGreaterThan(dead.fence());
        });
        assertThat(once(point, Runners.patient()).run(KilledRunTest::never))
                .isInstanceOfSatisfying(
                        Outcome.Replayed.class,
                        replayed -> assertThat(replayed.value()).isEqualTo("the next one's"));
    }

    @Test
    @DisplayName("O05 before it hears that it may begin is run once, by the next caller, after the TTL")
    void beforeTheReplyToBegin() throws Exception {
        assertRunAgainAfterTheTtl(Point.BEFORE_REPLY_TO_BEGIN);
        assertThat(effects(Point.BEFORE_REPLY_TO_BEGIN)).containsExactly("by the next");
    }

    @Test
    @DisplayName("O06 when it has begun is run by the next caller, after the TTL")
    void afterBegin() throws Exception {
        assertRunAgainAfterTheTtl(Point.AFTER_BEGIN);
        assertThat(effects(Point.AFTER_BEGIN)).containsExactly("by the next");
    }

    @Test
    @DisplayName("O07 after its effect is run again after the TTL, by a caller who sees that it is the second")
    void afterTheEffect() throws Exception {
        assertRunAgainAfterTheTtl(Point.AFTER_EFFECT);
        assertThat(effects(Point.AFTER_EFFECT)).containsExactly("by the dead", "by the next");
    }

    @Test
    @DisplayName("O07 after its effect is on hold, if the spec says so, and not run again until somebody resolves it")
    void afterTheEffectOnHold() throws Exception {
        Point point = Point.AFTER_EFFECT_UNSURE;
        Fence dead = record(point).fence();
        RunSpec<String> unsure = Runners.patient().withOnStale(OnStale.HOLD);

        assertThat(once(point, unsure).run(KilledRunTest::never)).isInstanceOf(Outcome.OnHold.class);
        assertThat(once(point, Runners.patient()).run(KilledRunTest::never)).isInstanceOf(Outcome.OnHold.class);
        Fence held = record(point).fence();
        assertThat(held).isGreaterThan(dead);
        assertThat(once(point, unsure).resolve(dead, Resolution.cleared())).isFalse();
        assertThat(once(point, unsure).resolve(held, Resolution.done("it was done")))
                .isTrue();

        assertThat(once(point, unsure).run(KilledRunTest::never).toOptional()).contains("it was done");
        assertThat(effects(point)).containsExactly("by the dead");
    }

    @Test
    @DisplayName("O08 before it hears that its answer is kept is answered at once with what it kept")
    void beforeTheReplyToTheEnd() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_END;
        Fence dead = record(point).fence();

        Outcome<String> outcome = once(point, Runners.brief()).run(KilledRunTest::never);

        assertThat(outcome).isInstanceOfSatisfying(Outcome.Replayed.class, replayed -> {
            assertThat(replayed.value()).isEqualTo("the dead one's");
            assertThat(replayed.fence()).isEqualTo(dead);
            assertThat(replayed.attempts()).isEqualTo(1);
        });
        assertThat(effects(point)).containsExactly("by the dead");
    }

    @Test
    @DisplayName("O11 between noting its failure and giving the run back is run again, and known to have failed")
    void whileItGivesBack() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_NOTE;
        RunSpec<String> unsure = Runners.patient().withOnStale(OnStale.HOLD);
        assertThat(once(point, unsure).run(run -> String.valueOf(run.history())))
                .isInstanceOf(Outcome.Ran.class);
        assertThat(once(point, unsure).peek().history())
                .extracting(Attempt::ending)
                .containsExactly(Attempt.Ending.CLEARED, Attempt.Ending.DONE);
    }

    @Test
    @DisplayName("O11 before it hears that the failed run is given back is run by the next caller, at once")
    void whenItHasGivenBack() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_RELEASE;
        assertThat(once(point, Runners.brief()).run(run -> "the next one's"))
                .isInstanceOfSatisfying(
                        Outcome.Ran.class, ran -> assertThat(ran.attempt()).isEqualTo(2));
        assertThat(once(point, Runners.brief()).peek().history())
                .extracting(Attempt::ending)
                .containsExactly(Attempt.Ending.CLEARED, Attempt.Ending.DONE);
    }
}
