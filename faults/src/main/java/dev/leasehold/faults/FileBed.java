package dev.leasehold.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** A directory of files. */
final class FileBed implements Bed {
    private final StoreKind kind;
    private final Path home;
    private int backups;

    FileBed(StoreKind kind, Path home) {
        this.kind = kind;
        this.home = home;
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public String url() {
        return "file:" + data();
    }

    @Override
    public String directUrl() {
        return url();
    }

    private Path data() {
        return home.resolve("leases");
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(() -> Directories.deleteFiles(data().resolve("keys")));
    }

    @Override
    public Backup backUp() throws IOException {
        Path copy = home.resolve("backup-" + ++backups);
        Directories.copy(data(), copy);
        return () -> {
            Directories.delete(data());
            Directories.copy(copy, data());
        };
    }

    /** Nothing runs here that would have to be ended. */
    @Override
    public void close() {}
}
