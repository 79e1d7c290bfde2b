package dev.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

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
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return "ZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0;
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            // It ended while we looked.
            return Files.exists(Path.of("/proc", Long.toString(pid))) && isRunning(pid);
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
