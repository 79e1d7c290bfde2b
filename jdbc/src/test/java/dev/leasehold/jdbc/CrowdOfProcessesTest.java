package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.store.Key;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("Sixty-four callers at once")
class CrowdOfProcessesTest {
    private static final int PROCESSES = 4;
    private static final int CALLERS = 16;

    @TempDir
    private Path directory;

    /** Many callers, who ask when they are told to and say what they were answered. */
    static final class Callers {
        private static final Duration WORK = Duration.ofMillis(300);

        private Callers() {}

        public static void main(String[] arguments) throws IOException {
            Path effects = Path.of(arguments[0]);
            Leases leases = Leases.on(Runners.open(arguments[1], arguments[2], arguments[3]));
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < CALLERS; i++) {
                Runners.start(() -> {
                    go.await();
                    System.out.println(ask(leases, effects));
                    return null;
                });
            }
            System.out.println("ready");
            if (System.in.read() >= 0) {
                go.countDown();
            }
        }

        private static String ask(Leases leases, Path effects) throws Exception {
            Outcome<String> outcome = Once.on(leases, Key.of("report"), Runners.patient())
                    .run(run -> {
                        Runners.append(effects, "done");
                        Threads.pause(WORK);
                        return "report of " + ProcessHandle.current().pid();
                    });
            return outcome.getClass().getSimpleName() + " " + Runners.answer(outcome);
        }
    }

    @ParameterizedTest(name = "on {0}")
    @EnumSource
    @DisplayName("O03 in four processes have the work done once, and sixty-three are given the answer of the one")
    void oneRuns(Kind kind) throws Exception {
        Path effects = directory.resolve("effects");
        List<OtherJvm> processes = new ArrayList<>();
        try (TestDatabase database = kind.shared(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source());
                Leases leases = Leases.on(store)) {
            List<String> arguments = new ArrayList<>(List.of(effects.toString()));
            arguments.addAll(database.address());
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(OtherJvm.start(Callers.class, arguments.toArray(String[]::new)));
            }
            for (OtherJvm process : processes) {
                assertThat(process.line()).isEqualTo("ready");
            }
            processes.forEach(process -> process.say("go"));
            List<String> outcomes = new ArrayList<>();
            for (OtherJvm process : processes) {
                for (int i = 0; i < CALLERS; i++) {
                    outcomes.add(process.line());
                }
            }

            String answer = Runners.answer(
                    Once.on(leases, Key.of("report"), Runners.patient()).run(run -> "again"));
            assertThat(outcomes)
                    .filteredOn(("Ran " + answer)::equals)
                    .as("%s", outcomes)
                    .hasSize(1);
            assertThat(outcomes).filteredOn(("Replayed " + answer)::equals).hasSize(PROCESSES * CALLERS - 1);
            assertThat(Runners.effects(effects)).containsExactly("done");
        } finally {
            processes.forEach(OtherJvm::close);
        }
    }
}
