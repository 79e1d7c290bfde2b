package dev.leasehold.tck.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.store.Key;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What runs and names do on a store that several real processes share, as tests that a store's own test class inherits:
 * processes are killed at every point of a run, stopped for longer than their TTL, and many at once.
 *
 * <p>{@link dev.leasehold.tck.RunOnceContract} comes first. It takes some ten seconds, and a system that has {@code kill}.
 * No case can be replaced or left out.
 */
@Tag("slow")
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class RunOnceProcessContract extends KilledClaimCases {
    private static final int PROCESSES = 4;
    private static final int CALLERS = 16;
    private static final Key REPORT = Key.of("report");

    /** Many callers, who ask when they are told to and say what they were answered. */
    static final class Callers {
        private static final Duration WORK = Duration.ofMillis(300);

        private Callers() {}

        public static void main(String[] arguments) throws Exception {
            Effects effects = new Effects(Path.of(arguments[0]));
            Leases leases = Leases.on(Child.open(arguments, 1));
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < CALLERS; i++) {
                Child.start(() -> {
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

        private static String ask(Leases leases, Effects effects) throws Exception {
            return answer(Once.on(leases, REPORT, patient()).run(run -> {
                effects.add("done");
                TimeUnit.NANOSECONDS.sleep(WORK.toNanos());
                return "report of " + ProcessHandle.current().pid();
            }));
        }
    }

    /** By which callers can be compared: how they were answered, with what, and whose it is. */
    private static String answer(Outcome<String> outcome) {
        if (outcome instanceof Outcome.Ran<String> ran) {
            return "ran: " + ran.value() + " by " + ran.fence();
        }
        return outcome instanceof Outcome.Replayed<String> replayed
                ? "replayed: " + replayed.value() + " by " + replayed.fence()
                : outcome.toString();
    }

    @Test
    @DisplayName("O03 Of sixty-four callers at once in four processes one does the work, and sixty-three are given its"
            + " answer")
    final void oneOfManyProcessesRuns() throws Exception {
        Effects effects = new Effects(directory().resolve("crowd"));
        List<ChildJvm> processes = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                processes.add(start(Callers.class, effects.file()));
            }
            processes.forEach(process -> assertThat(process.line()).isEqualTo("ready"));
            processes.forEach(process -> process.say("go"));
            List<String> answers = new ArrayList<>();
            processes.forEach(process -> answers.addAll(process.lines(CALLERS)));

            String replayed = answer(Once.on(leases, REPORT, patient()).run(RunOnceProcessContract::never));
            String ran = replayed.replaceFirst("^replayed", "ran");
            assertThat(answers).containsOnly(ran, replayed);
            assertThat(answers).containsOnlyOnce(ran).hasSize(PROCESSES * CALLERS);
            assertThat(effects.all()).containsExactly("done");
        } finally {
            processes.forEach(ChildJvm::close);
        }
    }
}
