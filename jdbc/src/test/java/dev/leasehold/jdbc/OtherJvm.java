package dev.leasehold.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs one of the tests' main classes in a JVM of its own, which is killed when this is closed. */
final class OtherJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;
    private final PrintWriter in;

    private OtherJvm(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    static OtherJvm start(Class<?> main, String... arguments) throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                main.getName()));
        command.addAll(List.of(arguments));
        return new OtherJvm(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The next line that it prints. */
    String line() throws IOException {
        return String.valueOf(out.readLine());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void say(String line) {
        in.println(line);
    }

    /** Sends {@code STOP} or {@code CONT}. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new IOException("kill -" + name + " failed.");
        }
    }

    /** As {@code kill -9} does. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
