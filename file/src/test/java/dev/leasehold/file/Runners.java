package dev.leasehold.file;

import dev.leasehold.once.Codec;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import java.time.Duration;
import java.util.concurrent.Callable;

/** What processes with runs have in common, and those who come after them. */
final class Runners {
    private Runners() {}

    static RunSpec<String> spec() {
        return RunSpec.of(Codec.utf8());
    }

    static RunSpec<String> patient() {
        return spec().waitingFor(Duration.ofSeconds(20));
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

    static int attempt(Outcome<String> outcome) {
        return outcome instanceof Outcome.Ran<String> ran ? ran.attempt() : 0;
    }
}
