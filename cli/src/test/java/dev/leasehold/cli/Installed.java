package dev.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The distribution as the build packed it, unpacked. */
final class Installed {
    private static final Path ARCHIVE = Path.of(Objects.requireNonNull(
            System.getProperty("leasehold.distribution"), "The build says where the distribution is"));
    private static final Installed SHARED = into(ARCHIVE.resolveSibling("unpacked-for-tests"));

    private final Path home;

    private Installed(Path home) {
        this.home = home;
    }

    /** One for all tests of this JVM. The first command makes its archive of classes. */
    static Installed shared() {
        return SHARED;
    }

    /** A fresh one, in place of what is there. */
    static Installed into(Path directory) {
        try {
            run("rm", "-rf", directory.toString());
            Files.createDirectories(directory);
            run("tar", "-xzf", ARCHIVE.toString(), "-C", directory.toString());
            try (Stream<Path> inside = Files.list(directory)) {
                return new Installed(inside.findFirst().orElseThrow());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void run(String... command) throws IOException {
        try {
            int code = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (code != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + code);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    Path home() {
        return home;
    }

    Path launcher() {
        return home.resolve("bin/leasehold");
    }

    /** Archives of classes, one for each Java that was used. */
    List<Path> classes() {
        try (Stream<Path> files = Files.list(home.resolve("lib"))) {
            return files.filter(file -> file.toString().endsWith(".jsa")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Commands with a state directory of their own. */
    Cli cli(Path state) {
        return new Cli(state, List.of(launcher().toString()))
                .with("JAVA_HOME", System.getProperty("java.home"))
                .with("LC_ALL", "C.UTF-8");
    }
}
