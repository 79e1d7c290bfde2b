package dev.leasehold.moc;

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
import org.junit.jupiter.api.Assertions;
import tools.jackson.databind.JsonNode;

/** An instance in a process of its own, which can be killed. */
final class Child implements AutoCloseable {
    private static final long START_SECONDS = 90;

    private final Path log;
    private final Process process;
    final Calls calls;

    private Child(Path log, Process process, int port) {
        this.log = log;
        this.process = process;
        this.calls = new Calls(port);
    }

    /** Starts the application. */
    static Child start(Map<String, String> environment) {
        return start(application(), environment);
    }

    /** The command that starts the application. */
    static List<String> application() {
        return java("-Xmx256m", Main.class.getName());
    }

    /** A command of this JVM's with the class path of the tests. */
    static List<String> java(String heap, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                heap,
                "-cp",
                classPath()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Starts a command that ends in an instance, and waits until that listens. */
    static Child start(List<String> command, Map<String, String> environment) {
        try {
            Path log = Files.createTempFile("moc-instructions-", ".log");
            ProcessBuilder builder =
                    new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            return new Child(log, process, port(log, process));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

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
                if (line.get("message").asString().startsWith("moc-instructions is listening")) {
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

    String output() {
        try {
            return Files.readString(log);
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
