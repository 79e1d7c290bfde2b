package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.Verdict;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("A process that is stopped amid its run in the directory store, for longer than the TTL, and goes on")
class StoppedRunTest {
    private static final Duration TTL = Duration.ofMillis(1_500);

    @TempDir(factory = MemoryDisk.class)
    private Path directory;

    /** Runs once for each verdict on its failure, and once without; ends them all when it is told to. */
    static final class Runner {
        private static final String RETURNS = "returns";

        private Runner() {}

        static List<String> names() {
            List<String> names = new ArrayList<>(List.of(RETURNS));
            for (Verdict verdict : Verdict.values()) {
                names.add(verdict.name());
            }
            return names;
        }

        public static void main(String[] arguments) throws IOException {
            Leases leases = Leases.builder(FileLeaseStore.of(Path.of(arguments[0])))
                    .withoutLog()
                    .build();
            CountDownLatch goOn = new CountDownLatch(1);
            for (String name : names()) {
                Runners.start(() -> {
                    System.out.println(name + " " + run(leases, name, goOn));
                    return null;
                });
            }
            if (System.in.read() >= 0) {
                goOn.countDown();
            }
        }

        private static String run(Leases leases, String name, CountDownLatch goOn) throws Exception {
            try {
                return Once.on(
                                leases,
                                Key.of(name),
                                Runners.spec()
                                        .withLeaseTtl(TTL)
                                        .withFailurePolicy((error, attempt) -> Verdict.valueOf(name)))
                        .run(run -> {
                            System.out.println("working");
                            goOn.await();
                            if (name.equals(RETURNS)) {
                                return "too late";
                            }
                            throw new IOException("too late");
                        })
                        .getClass()
                        .getSimpleName();
            } catch (IOException e) {
                return "throws " + e.getMessage();
            }
        }
    }

    private List<LeaseRecord> records() {
        return Runner.names().stream()
                .map(name -> FileLeaseStore.of(directory)
                        .find(Key.of(name))
                        .orElseThrow()
                        .record())
                .toList();
    }

    @Test
    @DisplayName("O09, O10 can neither complete nor fail nor free what its successor has done")
    void successorIsDone() throws Exception {
        try (ChildJvm zombie = ChildJvm.start(Runner.class, directory);
                Leases leases = Leases.on(FileLeaseStore.of(directory))) {
            stop(zombie);
            for (String name : Runner.names()) {
                Outcome<String> outcome =
                        Once.on(leases, Key.of(name), Runners.patient()).run(run -> "the successor's");
                assertThat(Runners.attempt(outcome)).as("%s", outcome).isEqualTo(2);
            }
            assertHarmless(zombie);
            assertSuccessorsAnswersAreKept(leases);
        }
    }

    @Test
    @DisplayName("O09, O10 can neither complete nor fail nor free what its successor is still at")
    void successorIsAtIt() throws Exception {
        List<String> names = Runner.names();
        try (ChildJvm zombie = ChildJvm.start(Runner.class, directory);
                Leases leases = Leases.on(FileLeaseStore.of(directory))) {
            stop(zombie);
            takeOver(leases, names, zombie);
            assertSuccessorsAnswersAreKept(leases);
        }
    }

    /** One run inside the other, so that all are under way when the stopped process goes on. */
    private void takeOver(Leases leases, List<String> names, ChildJvm zombie) throws Exception {
        if (names.isEmpty()) {
            assertHarmless(zombie);
            return;
        }
        Outcome<String> outcome = Once.on(leases, Key.of(names.get(0)), Runners.patient())
                .run(run -> {
                    takeOver(leases, names.subList(1, names.size()), zombie);
                    return "the successor's";
                });
        assertThat(Runners.attempt(outcome)).as("%s", outcome).isEqualTo(2);
    }

    private static void stop(ChildJvm runner) throws Exception {
        for (int i = 0; i < Runner.names().size(); i++) {
            assertThat(runner.line()).isEqualTo("working");
        }
        runner.signal("STOP");
    }

    /** It goes on, and whatever it tries, the records stay as they are. */
    private void assertHarmless(ChildJvm zombie) throws Exception {
        List<LeaseRecord> before = records();
        zombie.go();
        zombie.signal("CONT");
        List<String> said = new ArrayList<>();
        for (int i = 0; i < Runner.names().size(); i++) {
            said.add(zombie.line());
        }
        assertThat(said)
                .containsExactlyInAnyOrder(
                        "returns Unrecorded",
                        "CLEAR throws too late",
                        "TERMINAL throws too late",
                        "HOLD throws too late");
        assertThat(records()).isEqualTo(before);
    }

    private static void assertSuccessorsAnswersAreKept(Leases leases) throws Exception {
        for (String name : Runner.names()) {
            Outcome<String> outcome =
                    Once.on(leases, Key.of(name), Runners.patient()).run(run -> fail("The work was done again."));
            assertThat(outcome.toOptional()).contains("the successor's");
        }
    }
}
