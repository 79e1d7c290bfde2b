package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A database with a table of the user's, in which work leaves its effects: one row each. */
abstract class EffectCase {
    @TempDir
    private Path directory;

    TestDatabase database;
    JdbcLeaseStore store;

    void open(Kind kind) throws SQLException {
        database = kind.fresh(directory);
        store = JdbcLeaseStore.of(database.source());
        Sessions.execute(database.source(), "CREATE TABLE effect (fence bigint)");
    }

    @AfterEach
    final void closeDatabase() {
        store.close();
        database.close();
    }

    static void write(Connection connection, Fence fence) throws SQLException {
        Sessions.execute(connection, "INSERT INTO effect VALUES (" + fence + ")");
    }

    final String effects() throws SQLException {
        return Sessions.ask(database.source(), "SELECT count(*) FROM effect");
    }
}
