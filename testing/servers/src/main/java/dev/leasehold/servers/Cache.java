package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Directories that are made once and kept for later JVMs: unpacked programs, and data as it is after the first start.
 * JVMs that make the same one at the same time do not disturb each other: the first to finish wins.
 */
final class Cache {
    private static final Cache ONLY = new Cache(place());

    private final Path place;

    Cache(Path place) {
        this.place = place;
    }

    static Cache ofUser() {
        return ONLY;
    }

    /** Fills an empty directory. */
    interface Maker {
        void fill(Path directory) throws IOException;
    }

    /** The directory of this name. A name always stands for the same content. */
    Path directory(String name, Maker maker) {
        Path directory = place.resolve(name);
        if (!Files.isDirectory(directory)) {
            make(directory, maker);
        }
        return directory;
    }

    private void make(Path directory, Maker maker) {
        try {
            sweep();
            Path draft = Files.createTempDirectory(place, "draft-");
            try {
                maker.fill(draft);
                publish(draft, directory);
            } finally {
                Trees.delete(draft);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a JVM that was killed did not finish. Nobody takes an hour. */
    private void sweep() throws IOException {
        Instant old = Instant.now().minus(Duration.ofHours(1));
        try (DirectoryStream<Path> drafts = Files.newDirectoryStream(place, "draft-*")) {
            for (Path draft : drafts) {
                // Not the time of modification: unpacking sets that to whenever the archive was made.
                FileTime changed = (FileTime) Files.getAttribute(draft, "unix:ctime");
                if (changed.toInstant().isBefore(old)) {
                    Trees.delete(draft);
                }
            }
        }
    }

    private static void publish(Path draft, Path directory) throws IOException {
        try {
            Files.move(draft, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // Somebody else was faster; theirs is as good.
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
    }

    private static Path place() {
        String home = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                .orElse(System.getProperty("user.home") + "/.cache");
        String temporary = System.getProperty("java.io.tmpdir") + "/leasehold-of-" + System.getProperty("user.name");
        return usable(Path.of(home, "leasehold-servers"))
                .or(() -> usable(Path.of(temporary)))
                .orElseGet(() -> Guard.homeOnDisk("cache"));
    }

    /** Programs are run from here, so the place must be our own. */
    private static Optional<Path> usable(Path directory) {
        try {
            if (!directory.isAbsolute()) {
                return Optional.empty();
            }
            if (!Files.isDirectory(directory)) {
                Files.createDirectories(Objects.requireNonNull(directory.getParent()));
                Trees.createPrivate(directory);
            }
            boolean isOurs = Files.getOwner(directory)
                    .equals(Files.getOwner(Guard.roots().get(0)));
            return isOurs && Files.isWritable(directory) ? Optional.of(directory) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
