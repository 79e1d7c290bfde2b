package dev.leasehold.benchmarks;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;

/** The program of util-linux, for one machine and without a fence: how fast a command without a JVM starts. */
final class FlockContestant implements Contestant.Starts {
    @Override
    public String name() {
        return "flock";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.SQLITE
                && Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                        .anyMatch(directory ->
                                Path.of(directory, "flock").toFile().canExecute());
    }

    @Override
    public ProcessBuilder command(Bed bed, String key) {
        String file = Path.of(System.getProperty("java.io.tmpdir"), "leasehold-bench.lock")
                .toString();
        return new ProcessBuilder("flock", "-n", file, "true");
    }
}
