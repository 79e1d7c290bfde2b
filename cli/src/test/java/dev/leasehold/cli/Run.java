package dev.leasehold.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A command that was started. It is killed when this is closed. */
final class Run implements AutoCloseable {
    private final Process process;
    private final Path out;
    private final Path err;

    Run(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** What it wrote to standard output so far. */
    String out() {
        return read(out);
    }

    /** What it wrote to standard error so far. */
    String err() {
        return read(err);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when that many lines are on standard output. */
    List<String> awaitLines(int count) {
        Waiting.until(
                () -> out().lines().count() >= count,
                () -> count + " lines on standard output; there are: " + out() + err());
        return out().lines().toList();
    }

    Run awaitEnd() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("It does not end: " + process.info() + "\n" + out() + err());
            }
            return this;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns when it has ended, after something that must be done even if it does not end. */
    void awaitEndAnd(Runnable last) {
        try {
            awaitEnd();
        } finally {
            last.run();
        }
    }

    int code() {
        return awaitEnd().process.exitValue();
    }

    void signal(String name) {
        Processes.signal(name, pid());
    }

    /** Stops it, but not in the middle of a write, in which SQLite lets nobody else write. */
    void stop() {
        do {
            signal("CONT");
            signal("STOP");
            Waiting.until(() -> Processes.isStopped(pid()), () -> "process " + pid() + " to stand still");
        } while (Processes.isWriting(pid()));
    }

    /** As {@code kill -9} does. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
