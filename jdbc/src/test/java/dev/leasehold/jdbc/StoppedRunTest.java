package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Run;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Verdict;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("A process that is stopped amid its run, for longer than the TTL, and goes on")
class StoppedRunTest {
    @TempDir
    private Path directory;

    private TestDatabase database;
    private JdbcLeaseStore store;
    private Leases leases;

    /** How the stopped process ends its run when it goes on. Each has a run of its own. */
    enum Ending {
        RETURNS(null),
        FAILS_AND_CLEARS(Verdict.CLEAR),
        FAILS_FOR_GOOD(Verdict.TERMINAL),
        FAILS_AND_HOLDS(Verdict.HOLD);

        private final @Nullable Verdict verdict;

        Ending(@Nullable Verdict verdict) {
            this.verdict = verdict;
        }

        Key key() {
            return Key.of(name());
        }

        /** What its process says then. */
        String lastWords() {
            return this + (verdict == null ? " is unrecorded, its lease lost" : " throws too late");
        }

        private String end() throws IOException {
            if (verdict != null) {
                throw new IOException("too late");
            }
            return "too late";
        }

        private String run(Leases leases, CountDownLatch goOn) throws Exception {
            RunSpec<String> spec = Runners.brief();
            Verdict judgement = verdict;
            if (judgement != null) {
                spec = spec.withFailurePolicy((error, attempt) -> judgement);
            }
            try {
                Outcome<String> outcome = Once.on(leases, key(), spec).run(run -> {
                    System.out.println("working");
                    goOn.await();
                    return end();
                });
                return outcome instanceof Outcome.Unrecorded<String> unrecorded && unrecorded.isLeaseLost()
                        ? this + " is unrecorded, its lease lost"
                        : this + " is " + outcome;
            } catch (IOException e) {
                return this + " throws " + e.getMessage();
            }
        }
    }

    /** Does a run for each ending, and ends them all when it is told to. */
    static final class Runner {
        private Runner() {}

        public static void main(String[] arguments) throws IOException {
            Leases leases = Leases.builder(Runners.open(arguments[0], arguments[1], arguments[2]))
                    .withoutLog()
                    .build();
            CountDownLatch goOn = new CountDownLatch(1);
            for (Ending ending : Ending.values()) {
                Runners.start(() -> {
                    System.out.println(ending.run(leases, goOn));
                    return null;
                });
            }
            if (System.in.read() >= 0) {
                goOn.countDown();
            }
        }
    }

    private OtherJvm stopped(Kind kind) throws Exception {
        database = kind.shared(directory);
        store = JdbcLeaseStore.of(database.source());
        leases = Leases.on(store);
        OtherJvm runner = OtherJvm.start(Runner.class, database.address().toArray(String[]::new));
        for (int i = 0; i < Ending.values().length; i++) {
            assertThat(runner.line()).isEqualTo("working");
        }
        runner.signal("STOP");
        return runner;
    }

    @AfterEach
    void close() {
        leases.close();
        store.close();
        database.close();
    }

    /** It goes on, and whatever it tries, the records stay as they are. */
    private void assertHarmless(OtherJvm zombie) throws Exception {
        Map<Ending, LeaseRecord> before = records();

        zombie.say("go on");
        zombie.signal("CONT");
        List<String> said = new ArrayList<>();
        for (int i = 0; i < Ending.values().length; i++) {
            said.add(zombie.line());
        }

        assertThat(said)
                .containsExactlyInAnyOrderElementsOf(
                        List.of(Ending.values()).stream().map(Ending::lastWords).toList());
        assertThat(records()).isEqualTo(before);
    }

    private Map<Ending, LeaseRecord> records() {
        Map<Ending, LeaseRecord> records = new EnumMap<>(Ending.class);
        for (Ending ending : Ending.values()) {
            records.put(ending, store.find(ending.key()).orElseThrow().record());
        }
        return records;
    }

    private Once<String> once(Ending ending) {
        return Once.on(leases, ending.key(), Runners.patient());
    }

    private void assertSuccessorsAnswersAreKept() throws Exception {
        for (Ending ending : Ending.values()) {
            assertThat(once(ending).run(StoppedRunTest::never).toOptional()).contains("the successor's");
        }
    }

    private static String never(Run<String> run) {
        return fail("The work was done again, attempt " + run.attempt() + ".");
    }

    private static void assertSecondAttempt(Outcome<String> outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Ran.class, ran -> assertThat(ran.attempt()).isEqualTo(2));
    }

    @ParameterizedTest(name = "on {0}")
    @EnumSource
    @DisplayName("O09, O10 can neither complete nor fail nor free what its successor has done")
    void successorIsDone(Kind kind) throws Exception {
        try (OtherJvm zombie = stopped(kind)) {
            for (Ending ending : Ending.values()) {
                assertSecondAttempt(once(ending).run(run -> "the successor's"));
            }
            assertHarmless(zombie);
        }
        assertSuccessorsAnswersAreKept();
    }

    @ParameterizedTest(name = "on {0}")
    @EnumSource
    @DisplayName("O09, O10 can neither complete nor fail nor free what its successor is still at")
    void successorIsAtIt(Kind kind) throws Exception {
        CountDownLatch working = new CountDownLatch(Ending.values().length);
        CountDownLatch goOn = new CountDownLatch(1);
        List<Threads.Running<Outcome<String>>> successors = new ArrayList<>();
        try (OtherJvm zombie = stopped(kind)) {
            for (Ending ending : Ending.values()) {
                successors.add(Threads.start(() -> once(ending).run(run -> {
                    working.countDown();
                    goOn.await();
                    return "the successor's";
                })));
            }
            Threads.eventually("taken over", () -> working.getCount() == 0);
            assertHarmless(zombie);
            goOn.countDown();
            for (Threads.Running<Outcome<String>> successor : successors) {
                assertSecondAttempt(successor.get());
            }
        }
        assertSuccessorsAnswersAreKept();
    }
}
