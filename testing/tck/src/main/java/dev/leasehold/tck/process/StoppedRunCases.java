package dev.leasehold.tck.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.Verdict;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Runs whose process is stopped for longer than the TTL, and goes on. */
abstract class StoppedRunCases extends KilledRunCases {
    private static final String WORKING = "working";

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

        Key key(String test) {
            return Key.of(test + "/" + name());
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

        private String run(Leases leases, String test, CountDownLatch goOn) throws Exception {
            RunSpec<String> spec = spec().withLeaseTtl(BRIEF);
            Verdict judgement = verdict;
            if (judgement != null) {
                spec = spec.withFailurePolicy((error, attempt) -> judgement);
            }
            try {
                Outcome<String> outcome = Once.on(leases, key(test), spec).run(run -> {
                    System.out.println(WORKING);
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

        public static void main(String[] arguments) throws Exception {
            Leases leases =
                    Leases.builder(Child.open(arguments, 1)).withoutLog().build();
            CountDownLatch goOn = new CountDownLatch(1);
            for (Ending ending : Ending.values()) {
                Child.start(() -> {
                    System.out.println(ending.run(leases, arguments[0], goOn));
                    return null;
                });
            }
            if (System.in.read() >= 0) {
                goOn.countDown();
            }
        }
    }

    private ChildJvm stopped(String test) throws Exception {
        ChildJvm runner = start(Runner.class, test);
        assertThat(runner.lines(Ending.values().length)).containsOnly(WORKING);
        runner.stop();
        return runner;
    }

    private Once<String> once(String test, Ending ending) {
        return Once.on(leases, ending.key(test), patient());
    }

    private List<LeaseRecord> records(String test) {
        return Stream.of(Ending.values())
                .map(ending -> record(ending.key(test)))
                .toList();
    }

    /** It goes on, and whatever it tries, the records stay as they are. */
    private void assertHarmless(ChildJvm zombie, String test) throws Exception {
        List<LeaseRecord> before = records(test);

        zombie.say("go on");
        zombie.resume();

        assertThat(zombie.lines(Ending.values().length))
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(Ending.values()).map(Ending::lastWords).toList());
        assertThat(records(test)).isEqualTo(before);
    }

    private void assertSuccessorsAnswersAreKept(String test) throws Exception {
        for (Ending ending : Ending.values()) {
            assertThat(once(test, ending).run(StoppedRunCases::never).toOptional())
                    .contains("the successor's");
        }
    }

    @Test
    @DisplayName("O09, O10 A process that was stopped amid its run can neither complete nor fail nor free what its"
            + " successor has done")
    final void successorIsDone() throws Exception {
        String test = "successor-is-done";
        try (ChildJvm zombie = stopped(test)) {
            for (Ending ending : Ending.values()) {
                takeOver(test, ending, () -> {});
            }
            assertHarmless(zombie, test);
        }
        assertSuccessorsAnswersAreKept(test);
    }

    @Test
    @DisplayName("O09, O10 A process that was stopped amid its run can neither complete nor fail nor free what its"
            + " successor is still at")
    final void successorIsAtIt() throws Exception {
        String test = "successor-is-at-it";
        try (ChildJvm zombie = stopped(test)) {
            takeOverAll(test, List.of(Ending.values()), () -> assertHarmless(zombie, test));
        }
        assertSuccessorsAnswersAreKept(test);
    }

    /** What a successor does besides. */
    private interface Meanwhile {
        void happens() throws Exception;
    }

    /** One run inside the other, so that all are under way at once. */
    private void takeOverAll(String test, List<Ending> endings, Meanwhile meanwhile) throws Exception {
        if (endings.isEmpty()) {
            meanwhile.happens();
            return;
        }
        takeOver(test, endings.get(0), () -> takeOverAll(test, endings.subList(1, endings.size()), meanwhile));
    }

    private void takeOver(String test, Ending ending, Meanwhile meanwhile) throws Exception {
        LeaseRecord stopped = record(ending.key(test));
        assertSecondAttempt(once(test, ending).run(run -> {
            assertTakenOverAfter(stopped);
            meanwhile.happens();
            return "the successor's";
        }));
    }
}
