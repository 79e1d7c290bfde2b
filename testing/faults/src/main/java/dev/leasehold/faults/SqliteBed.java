package dev.leasehold.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A SQLite file that all workers open. */
final class SqliteBed implements Bed {
    private final Path home;
    private final Path data;
    private int backups;

    SqliteBed(Path home) throws IOException {
        this.home = home;
        this.data = Files.createDirectories(home.resolve("database"));
        createSchema();
    }

    @Override
    public StoreKind kind() {
        return StoreKind.SQLITE;
    }

    @Override
    public String directUrl() {
        return "sqlite:" + data.resolve("leases.db");
    }

    @Override
    public Records records() {
        return sql();
    }

    @Override
    public Optional<StoreClock> clock() {
        return Optional.of(sql());
    }

    @Override
    public Optional<SqlRecords> table() {
        return Optional.of(sql());
    }

    private SqlRecords sql() {
        return new SqlRecords("jdbc:" + directUrl() + "?busy_timeout=5000");
    }

    /** With its log, which SQLite reads at the next start as it would after a crash. */
    @Override
    public Backup backUp() {
        return DirectoryBackup.of(data, home.resolve("backup-" + ++backups));
    }

    /** Nothing runs here that would have to be ended. */
    @Override
    public void close() {}
}
