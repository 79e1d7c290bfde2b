package dev.leasehold.tck.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Another process on the class path of the test, which runs a main class and is spoken to by lines. It is killed when
 * this is closed, and its temporary files are deleted. Its errors go where the test's do.
 *
 * <p>For systems that have {@code kill}. Not safe for use by many threads.
 */
public final class ChildJvm implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final Path temporary;
    private final Process process;
    private final BufferedReader out;
    private final PrintWriter in;

    private ChildJvm(Path temporary, Process process) {
        this.temporary = temporary;
        this.process = process;
        this.out = process.inputReader(StandardCharsets.UTF_8);
        this.in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    /** Starts a process whose {@code main} is told these arguments, each as its {@code toString} says. */
    public static ChildJvm start(Class<?> main, Object... arguments) {
        return start(List.of(), main, arguments);
    }

    /**
     * The same, under another command.
     *
     * @param wrapper a command that runs the rest of its line, such as {@code unshare}
     */
    public static ChildJvm start(List<String> wrapper, Class<?> main, Object... arguments) {
        try {
            Path temporary = Files.createTempDirectory("leasehold-child-");
            List<String> command = command(wrapper, temporary, main, arguments);
            return new ChildJvm(
                    temporary,
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> command(List<String> wrapper, Path temporary, Class<?> main, Object... arguments) {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-Xmx64m",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return command;
    }

    /** Writes a line to the process. */
    public void say(String line) {
        in.println(line);
    }

    /**
     * Waits for the next line that the process writes.
     *
     * @throws IllegalStateException if it ended instead
     */
    public String line() {
        try {
            String line = out.readLine();
            if (line == null) {
                throw new IllegalStateException("The process has nothing more to say: " + process);
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for that many lines. */
    public List<String> lines(int count) {
        List<String> lines = new ArrayList<>();
        while (lines.size() < count) {
            lines.add(line());
        }
        return lines;
    }

    /** Waits until the process has ended, and gives all the lines that are left. */
    public List<String> lastLines() {
        return out.lines().toList();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** Whether the system shows it as stopped. */
    public boolean isStopped() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        // "id (name) state ...", where the name may hold anything.
        return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    }

    /** Waits until the process has ended by itself. */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("The process did not end: " + process);
        }
        return process.exitValue();
    }

    /** Stops the process at whatever it is at, as {@code kill -STOP} does. */
    public void stop() throws IOException, InterruptedException {
        signal("STOP");
    }

    /** Lets a stopped process go on, as {@code kill -CONT} does. */
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        if (!kill.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
            throw new IOException("kill -" + name + " failed: " + process);
        }
    }

    /** Ends the process as {@code kill -9} does, and waits until it is gone. Harmless if it has ended. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
        if (!Files.exists(temporary)) {
            return;
        }
        // Native libraries for the most part, which a process that is killed leaves behind.
        try (Stream<Path> files = Files.walk(temporary)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
