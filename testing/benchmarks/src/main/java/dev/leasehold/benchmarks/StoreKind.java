package dev.leasehold.benchmarks;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.servers.SqlServer;
import dev.leasehold.servers.firestore.FirestoreServer;
import dev.leasehold.servers.firestore.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/** Where the contestants meet. */
enum StoreKind {
    POSTGRES,
    MARIADB,
    SQLITE,
    REDIS,
    FIRESTORE;

    /** A fresh database, on a server that waits for the disk and that all cells of this run share. */
    Bed open() {
        return switch (this) {
            case POSTGRES -> on(PostgresServer.shared(17, Config.durable().with("max_connections", "300")), "");
            // Prepared on the server for everybody: the driver would otherwise send each statement as text. It reads
            // past the system's cache, which the others have, so it gets the memory for many records itself.
            case MARIADB ->
                on(
                        MariaDbServer.shared(
                                Config.durable().with("max-connections", "300").with("innodb-buffer-pool-size", "2G")),
                        "?useServerPrepStmts=true");
            case SQLITE -> inFile();
            // As it is installed: it waits for no disk, and so is a matter of the processor alone.
            case REDIS ->
                new RedisBed(RedisServer.shared(Config.durable().with("appendonly", "no"))
                        .freshDatabase());
            // Leasehold's own server, not Google's, in memory and in this process: its rates say little about Google's
            // service, its counts of requests do.
            case FIRESTORE -> new FirestoreBed(FirestoreServer.start(Settings.DEFAULT));
        };
    }

    private Bed on(SqlServer server, String options) {
        dev.leasehold.servers.Database database = server.freshDatabase();
        return new SqlBed(this, database.url() + options, database.user(), database.password(), database::close);
    }

    private Bed inFile() {
        try {
            Path directory = Files.createTempDirectory("leasehold-bench");
            String url = "jdbc:sqlite:" + directory.resolve("bench.db")
                    + "?journal_mode=WAL&synchronous=FULL&busy_timeout=20000&transaction_mode=IMMEDIATE";
            return new SqlBed(this, url, "", "", () -> delete(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path directory) {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isSql() {
        return this != REDIS && this != FIRESTORE;
    }

    /** For those who have statements only. */
    IllegalArgumentException speaksNoSql() {
        return new IllegalArgumentException(this + " speaks no SQL.");
    }

    static StoreKind of(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.toString().equalsIgnoreCase(name.strip()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "No store " + name + "; there are " + Arrays.toString(values()) + "."));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
