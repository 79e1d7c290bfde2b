package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;

/**
 * Lets PostgreSQL run for root, which it refuses. In a user namespace of its own, the process sees itself as nobody, yet
 * keeps its rights to our files. With a namespace for System V memory as well, a killed server leaves nothing behind.
 */
final class Unprivileged {
    private static final List<String> PREFIX = prefix();

    private Unprivileged() {}

    /** What to put before the command. */
    static List<String> wrapper() {
        return PREFIX;
    }

    private static List<String> prefix() {
        List<String> unshare = List.of("unshare", "--user", "--ipc");
        try {
            int exitCode = new ProcessBuilder("unshare", "--user", "--ipc", "true")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (exitCode == 0) {
                return unshare;
            }
        } catch (IOException e) {
            // No such program: the same as if it were not allowed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted.", e);
        }
        if (isRoot()) {
            throw new UnsupportedOperationException(
                    "PostgreSQL does not run as root, and this machine allows no user namespace (unshare --user). "
                            + "Build as another user, or set " + PostgresServer.VARIABLE + ".");
        }
        return List.of();
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Guard.roots().get(0), "unix:uid").equals(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
