package dev.leasehold.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A SQLite file that all workers open. */
final class SqliteBed implements Bed {
    private final StoreKind kind;
    private final Path home;
    private final Path data;
    private int backups;

    SqliteBed(StoreKind kind, Path home) {
        this.kind = kind;
        this.home = home;
        this.data = home.resolve("database");
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        createSchema();
    }

    @Override
    public StoreKind kind() {
        return kind;
    }

    @Override
    public String url() {
        return "sqlite:" + data.resolve("leases.db");
    }

    @Override
    public String directUrl() {
        return url();
    }

    @Override
    public Optional<Records> records() {
        return Optional.of(sql());
    }

    @Override
    public Optional<SqlRecords> table() {
        return Optional.of(sql());
    }

    private SqlRecords sql() {
        return new SqlRecords("jdbc:" + url() + "?busy_timeout=5000");
    }

    /** With its log, which SQLite reads at the next start as it would after a crash. */
    @Override
    public Backup backUp() throws IOException {
        Path copy = home.resolve("backup-" + ++backups);
        Directories.copy(data, copy);
        return () -> {
            Directories.delete(data);
            Directories.copy(copy, data);
        };
    }

    /** Nothing runs here that would have to be ended. */
    @Override
    public void close() {}
}
