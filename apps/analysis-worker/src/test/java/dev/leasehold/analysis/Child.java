package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import tools.jackson.databind.JsonNode;

/** An instance in a process of its own, which can be killed and stopped. */
final class Child implements AutoCloseable {
    private static final long START_SECONDS = 60;

    private final Path log;
    private final Process process;
    final Calls calls;

    private Child(Path log, Process process, int port) {
        this.log = log;
        this.process = process;
        this.calls = new Calls(port);
    }

    /** Starts an instance with {@link SlowWorker}'s analysis, which puts its name into its results. */
    static Child start(String name, Map<String, String> environment) {
        return start(java(SlowWorker.class, List.of(name)), environment, null);
    }

    /** Starts the application as it is, in this directory. */
    static Child startIn(Path directory, Map<String, String> environment) {
        return start(java(Main.class, List.of()), environment, directory);
    }

    /** Starts the application with this script, in this directory. */
    static Child scriptIn(Path directory, Path script, Map<String, String> environment) {
        return start(List.of(script.toString()), environment, directory);
    }

    /** As {@link #runIn}, with this script. */
    static Ended runScriptIn(Path directory, Path script, List<String> arguments, Map<String, String> environment) {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(arguments);
        return run(directory, command, environment);
    }

    /** Runs the application in this directory until it ends by itself; gives the exit code and all that it wrote. */
    static Ended runIn(Path directory, List<String> arguments, Map<String, String> environment) {
        return run(directory, java(Main.class, arguments), environment);
    }

    private static Ended run(Path directory, List<String> command, Map<String, String> environment) {
        try {
            Path log = Files.createTempFile("analysis-worker-", ".log");
            try {
                Process process = process(log, command, environment, directory);
                boolean isOver = process.waitFor(START_SECONDS, TimeUnit.SECONDS);
                process.destroyForcibly();
                assertThat(isOver).as(Files.readString(log)).isTrue();
                return new Ended(process.exitValue(), Files.readString(log));
            } finally {
                Files.delete(log);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** What became of an instance that ended by itself. */
    record Ended(int code, String output) {}

    private static Child start(List<String> command, Map<String, String> environment, @Nullable Path directory) {
        try {
            Path log = Files.createTempFile("analysis-worker-", ".log");
            Process process = process(log, command, environment, directory);
            return new Child(log, process, port(log, process));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> java(Class<?> main, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx192m",
                "-cp",
                classPath(),
                main.getName()));
        command.addAll(arguments);
        return command;
    }

    private static Process process(
            Path log, List<String> command, Map<String, String> environment, @Nullable Path directory)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        if (directory != null) {
            builder.directory(directory.toFile());
        }
        builder.environment()
                .keySet()
                .removeAll(List.of("FIRESTORE_EMULATOR_HOST", "GOOGLE_CLOUD_PROJECT", "LEASEHOLD_STORE"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** With absolute paths: the process may run in another directory. */
    private static String classPath() {
        String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Stream.of(path.split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static int port(Path log, Process process) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < end && process.isAlive()) {
            for (JsonNode line : Output.log(Files.readString(log))) {
                if (line.get("message").asString().startsWith("analysis-worker is listening")) {
                    return Integer.parseInt(line.get("port").asString());
                }
            }
            pause(50);
        }
        process.destroyForcibly();
        return Assertions.fail("The instance did not start:\n" + Files.readString(log));
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    List<JsonNode> log() {
        try {
            return Output.log(Files.readString(log));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** As {@code kill -9} does, and waits until it is gone. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** As {@code kill} does; gives the exit code. */
    int end() {
        process.destroy();
        return process.onExit().join().exitValue();
    }

    void stop() {
        signal("STOP");
    }

    void goOn() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
        try {
            Files.delete(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
