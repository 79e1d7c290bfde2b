package dev.leasehold.cli;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** One SQLite file in the user's state directory, shared by all of the user's processes on this machine. */
final class DefaultStore {
    private DefaultStore() {}

    static StoreUrl url() {
        return StoreUrl.of("sqlite:" + directory().resolve("leases.db"));
    }

    private static Path directory() {
        // Relative ones are to be ignored, says the XDG specification.
        return absolute("XDG_STATE_HOME")
                // Not the one of Java, which asks the user database and not the environment.
                .or(() -> absolute("HOME").map(DefaultStore::state))
                .orElseGet(() -> state(Path.of(System.getProperty("user.home"))))
                .resolve("leasehold");
    }

    private static Optional<Path> absolute(String variable) {
        return Optional.ofNullable(System.getenv(variable)).map(Path::of).filter(Path::isAbsolute);
    }

    private static Path state(Path home) {
        return home.resolve(".local").resolve("state");
    }

    /** Makes directory, file and tables if they are not there; any number of processes may do so at once. */
    static void prepare(StoreUrl url) {
        Path file = Path.of(url.rest());
        if (Files.exists(file)) {
            return;
        }
        Path directory = directory();
        try {
            Files.createDirectories(directory.getParent());
            if (!Files.isDirectory(directory)) {
                Files.createDirectory(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (FileAlreadyExistsException e) {
            // Somebody else made it a moment ago.
        } catch (IOException e) {
            throw new StoreException(Messages.text("store.no-directory", directory, e), e);
        }
        Stores.createSchema(url);
    }
}
