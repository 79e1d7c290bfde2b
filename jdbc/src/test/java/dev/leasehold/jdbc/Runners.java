package dev.leasehold.jdbc;

import dev.leasehold.once.Codec;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** What processes with runs have in common, and those who look after them. */
final class Runners {
    /** For how long a dead runner is in the way. */
    static final Duration TTL = Duration.ofMillis(1_500);

    private Runners() {}

    /** For runners that go silent. */
    static RunSpec<String> brief() {
        return RunSpec.of(Codec.utf8()).withLeaseTtl(TTL);
    }

    /** For those who come after them; their leases outlive the test. */
    static RunSpec<String> patient() {
        return RunSpec.of(Codec.utf8()).waitingFor(Duration.ofSeconds(20));
    }

    /** The store at what {@link TestDatabase#address} gives, in another process. */
    static JdbcLeaseStore open(String url, String user, String password) {
        return user.isEmpty() ? JdbcLeaseStore.of(url, null, null) : JdbcLeaseStore.of(url, user, password);
    }

    /** Work of a process that ends if it fails, so that whoever reads its lines learns of it. */
    static void start(Callable<?> work) {
        Thread thread = new Thread(() -> {
            try {
                work.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.setUncaughtExceptionHandler((failed, error) -> {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        thread.start();
    }

    /** Says where it is, and stays there until it is killed. */
    static void standStill(Object where) {
        System.out.println(where);
        while (true) {
            LockSupport.park();
        }
    }

    /** An effect that everybody can see. */
    static void append(Path effects, String line) throws IOException {
        Files.writeString(effects, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    static List<String> effects(Path effects) throws IOException {
        return Files.exists(effects) ? Files.readAllLines(effects) : List.of();
    }

    /** The answer, by which callers can be compared: what it is and whose. */
    static String answer(Outcome<String> outcome) {
        if (outcome instanceof Outcome.Ran<String> ran) {
            return ran.value() + " by " + ran.fence();
        }
        return outcome instanceof Outcome.Replayed<String> replayed
                ? replayed.value() + " by " + replayed.fence()
                : outcome.toString();
    }
}
