package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.OnStale;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Resolution;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Predecessor;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory store sees that a process of this host is gone, so that nobody waits for the TTL, which is long here. */
@Tag("slow")
@DisplayName("A run in the directory store whose process is killed")
class KilledRunTest {
    @TempDir(factory = MemoryDisk.class)
    private static Path directory;

    private static Leases leases;

    /** Where a process is killed. Each point has a run of its own. */
    enum Point {
        BEFORE_REPLY_TO_BEGIN,
        AFTER_BEGIN,
        AFTER_EFFECT,
        AFTER_EFFECT_UNSURE,
        BEFORE_REPLY_TO_END;

        Key key() {
            return Key.of(name());
        }

        Path effects(Path directory) {
            return directory.resolve(name());
        }

        private void reached(boolean isHere) {
            if (isHere) {
                System.out.println(this);
                while (true) {
                    LockSupport.park();
                }
            }
        }

        /** The store does what it is asked, and nobody hears of it. */
        private LeaseStore standingStill(LeaseStore store) {
            return (LeaseStore) Proxy.newProxyInstance(
                    Point.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (self, method, arguments) -> {
                        Object answer;
                        try {
                            answer = method.invoke(store, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                        String verb = method.getName();
                        reached(this == BEFORE_REPLY_TO_BEGIN && verb.equals("acquire"));
                        reached(this == BEFORE_REPLY_TO_END && verb.equals("settle"));
                        return answer;
                    });
        }

        private String work(Path directory) throws IOException {
            reached(this == AFTER_BEGIN);
            append(effects(directory), "by the dead");
            reached(this == AFTER_EFFECT || this == AFTER_EFFECT_UNSURE);
            return "the dead one's";
        }
    }

    /** Does a run for each point, and stands still at all of them. */
    static final class Runner {
        private Runner() {}

        public static void main(String[] arguments) {
            Path place = Path.of(arguments[0]);
            for (Point point : Point.values()) {
                Leases leases = Leases.on(point.standingStill(store(place)));
                Runners.start(() -> Once.on(leases, point.key(), Runners.spec()).run(run -> point.work(place)));
            }
        }
    }

    @BeforeAll
    static void killAtEveryPoint() throws Exception {
        leases = Leases.on(store(directory));
        try (ChildJvm runner = ChildJvm.start(Runner.class, directory)) {
            for (int i = 0; i < Point.values().length; i++) {
                assertThat(runner.line()).isNotNull();
            }
            runner.kill();
        }
    }

    @AfterAll
    static void close() {
        leases.close();
    }

    private static FileLeaseStore store(Path directory) {
        return FileLeaseStore.of(directory.resolve("leases"));
    }

    private static void append(Path effects, String line) throws IOException {
        Files.writeString(effects, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static List<String> effects(Point point) throws IOException {
        return Files.readAllLines(point.effects(directory));
    }

    private static Once<String> once(Point point, RunSpec<String> spec) {
        return Once.on(leases, point.key(), spec);
    }

    private static Fence fence(Point point) {
        return store(directory).find(point.key()).orElseThrow().record().fence();
    }

    private static String never(Run<String> run) {
        return fail("The work was done again, attempt " + run.attempt() + ".");
    }

    private static void assertRunAgain(Point point) throws Exception {
        Fence dead = fence(point);
        Outcome<String> outcome = once(point, Runners.spec()).run(run -> {
            assertThat(run.predecessor()).map(Predecessor::fence).contains(dead);
            append(point.effects(directory), "by the next");
            return "the next one's";
        });
        assertThat(Runners.attempt(outcome)).as("%s", outcome).isEqualTo(2);
        assertThat(once(point, Runners.spec()).run(KilledRunTest::never).toOptional())
                .contains("the next one's");
    }

    @Test
    @DisplayName("O05 before it hears that it may begin is run once, by the next caller")
    void beforeTheReplyToBegin() throws Exception {
        assertRunAgain(Point.BEFORE_REPLY_TO_BEGIN);
        assertThat(effects(Point.BEFORE_REPLY_TO_BEGIN)).containsExactly("by the next");
    }

    @Test
    @DisplayName("O06 when it has begun is run by the next caller")
    void afterBegin() throws Exception {
        assertRunAgain(Point.AFTER_BEGIN);
        assertThat(effects(Point.AFTER_BEGIN)).containsExactly("by the next");
    }

    @Test
    @DisplayName("O07 after its effect is run again, by a caller who sees that it is the second")
    void afterTheEffect() throws Exception {
        assertRunAgain(Point.AFTER_EFFECT);
        assertThat(effects(Point.AFTER_EFFECT)).containsExactly("by the dead", "by the next");
    }

    @Test
    @DisplayName("O07 after its effect is on hold, if the spec says so, and not run again until somebody resolves it")
    void afterTheEffectOnHold() throws Exception {
        Point point = Point.AFTER_EFFECT_UNSURE;
        RunSpec<String> unsure = Runners.spec().withOnStale(OnStale.HOLD);

        assertThat(once(point, unsure).run(KilledRunTest::never)).isInstanceOf(Outcome.OnHold.class);
        assertThat(once(point, Runners.spec()).run(KilledRunTest::never)).isInstanceOf(Outcome.OnHold.class);
        assertThat(once(point, unsure).resolve(fence(point), Resolution.done("it was done")))
                .isTrue();

        assertThat(once(point, unsure).run(KilledRunTest::never).toOptional()).contains("it was done");
        assertThat(effects(point)).containsExactly("by the dead");
    }

    @Test
    @DisplayName("O08 before it hears that its answer is kept is answered with what it kept")
    void beforeTheReplyToTheEnd() throws Exception {
        Point point = Point.BEFORE_REPLY_TO_END;
        Outcome<String> outcome = once(point, Runners.spec()).run(KilledRunTest::never);
        assertThat(outcome.toOptional()).contains("the dead one's");
        assertThat(effects(point)).containsExactly("by the dead");
    }
}
