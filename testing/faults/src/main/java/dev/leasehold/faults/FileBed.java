package dev.leasehold.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A directory of files. */
final class FileBed implements Bed {
    private final Path home;
    private int backups;

    FileBed(Path home) {
        this.home = home;
    }

    @Override
    public StoreKind kind() {
        return StoreKind.FILE;
    }

    @Override
    public String directUrl() {
        return "file:" + data();
    }

    private Path data() {
        return home.resolve("leases");
    }

    @Override
    public Records records() {
        return this::deleteFiles;
    }

    /** But no directory, for others are writing there. */
    private int deleteFiles() throws IOException {
        List<Path> files;
        try (Stream<Path> found = Files.find(data().resolve("keys"), 9, (file, seen) -> seen.isRegularFile())) {
            files = found.toList();
        }
        int deleted = 0;
        for (Path file : files) {
            deleted += Files.deleteIfExists(file) ? 1 : 0;
        }
        return deleted;
    }

    @Override
    public Backup backUp() {
        return DirectoryBackup.of(data(), home.resolve("backup-" + ++backups));
    }

    /** Nothing runs here that would have to be ended. */
    @Override
    public void close() {}
}
