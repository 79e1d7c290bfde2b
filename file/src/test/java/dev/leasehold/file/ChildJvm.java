package dev.leasehold.file;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another process that runs one of the tests' own main classes. It is killed when it is closed. */
final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private ChildJvm(Process process) {
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    static ChildJvm start(Class<?> main, Object... arguments) {
        return start(List.of(), main, arguments);
    }

    /** @param wrapper a command that runs the rest of its line, such as {@code unshare} */
    static ChildJvm start(List<String> wrapper, Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(command(main, arguments));
        try {
            return new ChildJvm(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> command(Class<?> main, Object... arguments) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx48m",
                "-cp",
                classPath,
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /** Lets a process go on that waits for a line. */
    void go() {
        try {
            process.outputWriter().append('\n').flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next line the process writes, or {@code null} at the end. */
    String line() {
        try {
            return out.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All the lines that are left, once the process has ended. */
    List<String> lines() {
        return out.lines().toList();
    }

    long pid() {
        return process.pid();
    }

    int exitCode() throws InterruptedException {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The process did not end: " + process.info());
        }
        return process.exitValue();
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
