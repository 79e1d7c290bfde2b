package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUrl;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;
import javax.sql.DataSource;

/** {@code sqlite:PATH}: a database file in WAL mode, in which readers do not wait for the writer. */
final class SqliteFile {
    static final String SCHEME = "sqlite";

    private SqliteFile() {}

    static Path path(StoreUrl url) {
        if (url.rest().isBlank() || url.rest().contains("?")) {
            throw new StoreException(
                    "A path without \"?\" follows \"sqlite:\"; settings need jdbc:sqlite:PATH?..., not " + url + ".");
        }
        try {
            return Path.of(url.rest());
        } catch (InvalidPathException e) {
            throw new StoreException("Not a file's name, in " + url + ": " + e.getMessage() + ".", e);
        }
    }

    static String jdbcUrl(StoreUrl url) {
        return "jdbc:sqlite:" + path(url) + "?journal_mode=WAL&synchronous=FULL&busy_timeout=5000";
    }

    /**
     * Makes the tables. A file that is not there is made elsewhere and appears whole: to change a database to WAL mode
     * needs it alone, and many processes may be here for the first time at once.
     */
    static void create(StoreUrl url, Function<StoreUrl, DataSource> source) {
        Path file = path(url).toAbsolutePath();
        if (Files.exists(file)) {
            Schema.create(source.apply(url));
            return;
        }
        Path parent = file.getParent();
        if (parent == null) {
            throw new StoreException("Not a file's name: " + url + ".");
        }
        try {
            Path nursery = Files.createTempDirectory(parent, ".leasehold-new");
            Path draft = nursery.resolve("draft.db");
            try {
                Schema.create(source.apply(StoreUrl.of(SCHEME + ":" + draft)));
                Files.createLink(file, draft);
            } catch (FileAlreadyExistsException e) {
                // Somebody else was quicker, and theirs is as good.
                return;
            } finally {
                Files.deleteIfExists(draft);
                Files.deleteIfExists(nursery);
            }
        } catch (IOException e) {
            throw new StoreUnavailableException("No database could be made at " + file + ": " + e.getMessage(), e);
        }
    }
}
