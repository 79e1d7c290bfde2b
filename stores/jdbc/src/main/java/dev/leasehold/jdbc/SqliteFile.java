package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUrl;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** {@code sqlite:PATH}: a database file in WAL mode, in which readers do not wait for the writer. */
final class SqliteFile {
    static final String SCHEME = "sqlite";

    /** The SQLSTATE of a lost connection: all connections to the file are opened anew. */
    private static final String GONE = "08006";

    private SqliteFile() {}

    static Path path(StoreUrl url) {
        if (url.holdsSecret()) {
            throw new StoreException("A database in a file has no user and password: " + url + ".");
        }
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

    /** The file of an open database; empty if it is in memory. */
    static Optional<Path> of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT file FROM pragma_database_list WHERE name = 'main'")) {
            String file = row.next() ? row.getString(1) : null;
            return file == null || file.isEmpty() ? Optional.empty() : Optional.of(Path.of(file));
        }
    }

    static void checkExists(Path file) throws SQLException {
        if (!Files.exists(file)) {
            throw new SQLException("The database file " + file + " was deleted while it was in use.", GONE);
        }
    }

    /**
     * Which file a connection has open. A connection goes on with its file although that was deleted, and so would never
     * see the leases that others take in a new file of the same name.
     */
    static final class Identity {
        /** A look costs as much as a tenth of a refusal. A file may be deleted right after it anyway. */
        private static final long LOOK_EVERY_NANOS = 100_000;

        private final Path file;
        private final @Nullable Object key;
        private long lookedAt = System.nanoTime();

        private Identity(Path file, @Nullable Object key) {
            this.file = file;
            this.key = key;
        }

        /** To be taken when the connection has just been opened. */
        static Identity of(Path file) throws SQLException {
            return new Identity(file, key(file));
        }

        private static @Nullable Object key(Path file) throws SQLException {
            try {
                return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
            } catch (IOException e) {
                throw new SQLException("The database file " + file + " is no longer there.", GONE, e);
            }
        }

        /** Fails if the file was deleted or replaced. The next connection then opens the new one. */
        void check() throws SQLException {
            long now = System.nanoTime();
            if (now - lookedAt < LOOK_EVERY_NANOS) {
                return;
            }
            if (!Objects.equals(key, key(file))) {
                throw new SQLException("The database file " + file + " was replaced while it was in use.", GONE);
            }
            lookedAt = now;
        }
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
        if (Files.isSymbolicLink(file)) {
            throw new StoreException(file + " is a link to a file that is not there, so no database can be made in its"
                    + " place: remove the link, or name the file itself.");
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
