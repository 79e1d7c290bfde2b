package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends all servers of this JVM when the JVM ends. A shell waits for the end of a pipe that only this JVM holds, so it
 * does not matter how the JVM ends.
 */
final class Guard {
    private static final Guard ONLY = new Guard();

    private final Path root;
    private final AtomicInteger homes = new AtomicInteger();

    /** Held for the life of the JVM; never written to. */
    @SuppressWarnings("unused")
    private final OutputStream lifeline;

    private Guard() {
        try (InputStream script = Guard.class.getResourceAsStream("guard.sh")) {
            root = Files.createTempDirectory(parent(), "jvm-").toRealPath();
            String text = new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8);
            lifeline = new ProcessBuilder("sh", "-c", text, "guard", root.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .getOutputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where this JVM keeps its servers. */
    static Path root() {
        return ONLY.root;
    }

    /** A new directory, for one server. */
    static Path newHome(String name) {
        try {
            return Trees.createPrivate(ONLY.root.resolve(name + "-" + ONLY.homes.incrementAndGet()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The module's target directory lies on a real disk, which the temporary directory often does not. */
    private static Path parent() throws IOException {
        Path target = Path.of("target");
        return Files.isWritable(target)
                ? Files.createDirectories(target.resolve("servers"))
                : Path.of(System.getProperty("java.io.tmpdir"));
    }
}
