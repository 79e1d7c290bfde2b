package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpeningRaceTest {
    private static final int OPENINGS = 500;

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @Test
    @DisplayName("A lock file can be opened at any moment at which another process makes or deletes it")
    void openingDoesNotMindARelease() {
        Path file = directory.resolve(".lock");
        AtomicBoolean isOver = new AtomicBoolean();
        CompletableFuture<Void> others = CompletableFuture.runAsync(() -> {
            while (!isOver.get()) {
                toggle(file);
            }
        });
        try {
            for (int i = 0; i < OPENINGS; i++) {
                LockFileStore.at(file, KEY).close();
            }
        } finally {
            isOver.set(true);
            others.join();
        }
    }

    private static void toggle(Path file) {
        try {
            Files.createFile(file);
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
