package dev.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Processes that are not our own children. */
final class Processes {
    /** Put before a command. Tests that run in the background of a shell ignore INT, and what they start would, too. */
    static final List<String> DEFAULT_SIGNALS = List.of("env", "--default-signal");

    private Processes() {}

    static void signal(String name, long pid) {
        try {
            int code = new ProcessBuilder("kill", "-s", name, Long.toString(pid))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new AssertionError("kill -s " + name + " " + pid + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether it does anything still: one that ended and was not collected does not. */
    static boolean isRunning(long pid) {
        return "ZX".indexOf(state(pid)) < 0;
    }

    /** Whether it stands still, by a signal. */
    static boolean isStopped(long pid) {
        return state(pid) == 'T';
    }

    /** As the system shows it; {@code X} if there is no such process. */
    private static char state(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (NoSuchFileException e) {
            return 'X';
        } catch (IOException e) {
            // It ended while we looked.
            return Files.exists(Path.of("/proc", Long.toString(pid))) ? state(pid) : 'X';
        }
    }

    /** Whether it has the lock of a writer on some file, of the kind that SQLite uses. */
    static boolean isWriting(long pid) {
        try (Stream<String> locks = Files.lines(Path.of("/proc/locks"))) {
            return locks.anyMatch(lock -> lock.contains(" POSIX ") && lock.contains(" WRITE " + pid + " "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The words of its command, or nothing if it is gone. */
    static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            return "";
        }
    }

    static void awaitEnd(long pid) {
        Waiting.until(() -> !isRunning(pid), () -> "the end of process " + pid);
    }
}
