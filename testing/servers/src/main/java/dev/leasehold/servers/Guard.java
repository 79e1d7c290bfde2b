package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends all servers of this JVM when the JVM ends. A shell waits for the end of a pipe that only this JVM holds, so it
 * does not matter how the JVM ends.
 */
final class Guard {
    private static final Guard ONLY = new Guard();

    /** What relaxed servers may take of the memory. */
    private static final long ROOM_BYTES = 2L << 30;

    private final Path onDisk;
    private final Path inMemory;
    private final AtomicInteger homes = new AtomicInteger();

    /** Held for the life of the JVM; never written to. */
    @SuppressWarnings("unused")
    private final OutputStream lifeline;

    private Guard() {
        try (InputStream script = Guard.class.getResourceAsStream("guard.sh")) {
            onDisk = Files.createTempDirectory(disk(), "leasehold-jvm-").toRealPath();
            inMemory = Files.createTempDirectory(memory(), "leasehold-jvm-").toRealPath();
            String text = new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
            lifeline = new ProcessBuilder("sh", "-c", text, "guard", onDisk.toString(), inMemory.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where this JVM keeps its servers. */
    static List<Path> roots() {
        return List.of(ONLY.onDisk, ONLY.inMemory);
    }

    /** A new directory on a disk, for one server. */
    static Path homeOnDisk(String name) {
        return newHome(ONLY.onDisk, name);
    }

    /** A new directory for a server that does not care for the disk. */
    static Path homeInMemory(String name) {
        return newHome(ONLY.inMemory, name);
    }

    private static Path newHome(Path root, String name) {
        try {
            return Trees.createPrivate(root.resolve(name + "-" + ONLY.homes.incrementAndGet()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The module's target directory lies on a real disk, which the temporary directory often does not. */
    private static Path disk() throws IOException {
        Path target = Path.of("target");
        return Files.isWritable(target)
                ? Files.createDirectories(target.resolve("servers"))
                : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** A database has a thousand files, and making them takes most of a start on some disks. */
    private static Path memory() throws IOException {
        Path memory = Path.of("/dev/shm");
        boolean hasRoom = Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() >= ROOM_BYTES;
        return hasRoom ? memory : disk();
    }
}
