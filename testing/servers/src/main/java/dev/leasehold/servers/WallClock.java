package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

/**
 * The wall clock of one server, which can be moved while the server runs: libfaketime stands between it and the
 * system's. The monotonic clock stays what it is, as when somebody sets a machine's time.
 */
final class WallClock {
    private final Path library;
    private final Path file;
    private Duration ahead = Duration.ZERO;

    /**
     * @param library which of libfaketime's files the server needs
     * @param home where nobody else writes
     */
    WallClock(String library, Path home) {
        this.library = Faketime.file(library);
        this.file = home.resolve("clock");
        write();
    }

    /** What makes a process look here for the time, each time anew. */
    Map<String, String> environment() {
        return Map.of(
                "LD_PRELOAD", library.toString(),
                "FAKETIME_TIMESTAMP_FILE", file.toString(),
                "FAKETIME_NO_CACHE", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "NO_FAKE_STAT", "1");
    }

    /** By how much it is off. */
    Duration ahead() {
        return ahead;
    }

    /** Forward, or back. */
    void move(Duration by) {
        ahead = ahead.plus(by);
        write();
    }

    /** At once, or a reader might find half of it. */
    private void write() {
        try {
            Path draft = file.resolveSibling("clock.draft");
            Files.writeString(draft, (ahead.isNegative() ? "" : "+") + ahead.toSeconds() + "\n");
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A server that has started needs nothing any more of what the library made in memory, and would leave it there. */
    static void tidy(long pid) {
        Trees.delete(Path.of("/dev/shm/faketime_shm_" + pid));
        Trees.delete(Path.of("/dev/shm/sem.faketime_sem_" + pid));
    }
}
