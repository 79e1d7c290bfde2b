package dev.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The command while it runs. Its standard input, output and error are ours.
 *
 * <p>It leads a process group of its own, so that all it starts is signalled with it. At a terminal it stays in our
 * group instead, which has the terminal: prompts and keys work as without us, and its descendants are looked up when
 * they are to be signalled. If this process is killed, the kernel kills the command ({@code setpriv --pdeathsig}), and
 * the supervisor what it started. That happens already when the *thread* ends that started it, so that thread must stay.
 */
final class Child {
    private final Process process;
    private final Supervisor supervisor;
    private final boolean isAtTerminal;
    private final boolean isGroup;

    private Child(Process process, Supervisor supervisor, boolean isAtTerminal, boolean isGroup) {
        this.process = process;
        this.supervisor = supervisor;
        this.isAtTerminal = isAtTerminal;
        this.isGroup = isGroup;
    }

    /** Starts the command. The calling thread must live until it has ended. */
    static Child start(
            List<String> command, Map<String, Optional<String>> environment, boolean hasInput, Supervisor told)
            throws IOException {
        boolean isAtTerminal = hasInput && isTerminal();
        Optional<Path> setsid = isAtTerminal ? Optional.empty() : Programs.find("setsid");
        List<String> line = new ArrayList<>();
        pdeathsig().ifPresent(setpriv -> line.addAll(List.of(setpriv.toString(), "--pdeathsig", "KILL", "--")));
        setsid.ifPresent(program -> line.add(program.toString()));
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line).inheritIO();
        if (!hasInput) {
            builder.redirectInput(
                    ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        }
        environment.forEach((name, value) -> value.ifPresentOrElse(
                text -> builder.environment().put(name, text),
                () -> builder.environment().remove(name)));
        Child child = new Child(builder.start(), told, isAtTerminal, setsid.isPresent());
        child.introduce();
        return child;
    }

    /** Busybox has a program of that name, but it cannot do this. */
    static Optional<Path> pdeathsig() {
        return Programs.find("setpriv").filter(program -> {
            try {
                return !program.toRealPath().endsWith("busybox");
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Whether our standard input is a terminal, whatever our output is. */
    private static boolean isTerminal() throws IOException {
        Path input = Path.of("/proc/self/fd/0");
        if (Files.isSymbolicLink(input)) {
            String target = Files.readSymbolicLink(input).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        }
        try {
            return new ProcessBuilder("sh", "-c", "test -t 0")
                            .inheritIO()
                            .start()
                            .waitFor()
                    == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Tells the supervisor whom to signal. */
    void introduce() {
        supervisor.child(process.pid(), isGroup);
    }

    long pid() {
        return process.pid();
    }

    /** Waits for its end and gives its code: 128 and the number of the signal if one ended it. */
    int await() throws InterruptedException {
        return process.waitFor();
    }

    /** Whether it ended within this time. */
    boolean awaitWithin(Duration time) throws InterruptedException {
        return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Passes a signal on. What the terminal's keys cause has reached the command already. */
    void signal(String name) {
        if (!(isAtTerminal && (name.equals("INT") || name.equals("CONT")))) {
            supervisor.signal(name);
        }
    }

    /** Whether keys of a terminal reach the command without us. */
    boolean isAtTerminal() {
        return isAtTerminal;
    }

    /** Whether it leads a group, by which what it started is found even when it is gone. */
    boolean isGroup() {
        return isGroup;
    }

    /** Lets the command live for so long, unless this is said again; it is then ended, with that grace. */
    void live(Duration time, Duration grace) {
        supervisor.live(time, grace);
    }

    /** Begins to end the command and all it started: TERM now, KILL after the grace. */
    void stop(Duration grace) {
        supervisor.stop(grace);
    }

    void kill() {
        supervisor.signal("KILL");
    }

    /** Waits for the news that the supervisor began to end it. */
    void awaitStopping(Duration longest) throws InterruptedException {
        supervisor.awaitStopping(longest);
    }

    /** Waits until all is gone that {@link #stop} was to end. */
    void awaitGone(Duration longest) throws InterruptedException {
        supervisor.awaitGone(longest);
    }
}
