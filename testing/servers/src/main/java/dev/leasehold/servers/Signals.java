package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Signals to a process and those it forked. */
final class Signals {
    private static final int END_SECONDS = 10;

    private Signals() {}

    /** The process, then its children and theirs. */
    static List<ProcessHandle> family(ProcessHandle head) {
        return Stream.concat(Stream.of(head), head.descendants()).toList();
    }

    static void send(String signal, List<ProcessHandle> processes) {
        String ids =
                processes.stream().map(process -> Long.toString(process.pid())).collect(Collectors.joining(" "));
        // One that has just ended is no failure, and the shell signals the others all the same.
        Commands.run(List.of("sh", "-c", "kill -" + signal + " " + ids + " || true"));
    }

    /**
     * Stops them all and returns when none runs any more. The head goes first: then it forks nobody who would not be
     * seen.
     */
    static List<ProcessHandle> freeze(ProcessHandle head) {
        List<ProcessHandle> all = new ArrayList<>(List.of(head));
        stop(all);
        List<ProcessHandle> others = head.descendants().toList();
        if (!others.isEmpty()) {
            stop(others);
            all.addAll(others);
        }
        return all;
    }

    /** Returns when none of them is left. */
    static void awaitEnd(List<ProcessHandle> processes) {
        if (!Waiting.until(() -> processes.stream().noneMatch(Signals::isAlive), END_SECONDS)) {
            throw new IllegalStateException("Processes do not end: " + processes);
        }
    }

    /**
     * Whether it does anything. One that has ended but was not collected by its parent does not: when a server is
     * killed, its children are left to the machine's first process, which may take its time.
     */
    static boolean isAlive(ProcessHandle process) {
        return anyThread(process, "ZX");
    }

    private static void stop(List<ProcessHandle> processes) {
        send("STOP", processes);
        if (!Waiting.until(() -> processes.stream().noneMatch(process -> anyThread(process, "TtZX")), END_SECONDS)) {
            throw new IllegalStateException("Processes do not stop: " + processes);
        }
    }

    /** Whether it has a thread that is in none of these states. */
    private static boolean anyThread(ProcessHandle process, String otherThan) {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            return threads.anyMatch(thread -> otherThan.indexOf(state(thread)) < 0);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From "id (name) state ...", where the name may hold anything. */
    private static char state(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return 'X';
        }
    }
}
