package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Leasehold;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Leasehold opened by the URL of a database")
class OpenByUrlTest {
    @TempDir
    private Path directory;

    private String url() {
        return "sqlite:" + directory.resolve("leases.db");
    }

    @Test
    @DisplayName("creates what is missing if it is asked to, and closes what it opened")
    void opensCreatesAndCloses() throws Exception {
        try (Leasehold leasehold = Leasehold.openOrCreate(url())) {
            assertThat(leasehold.runIfFree(
                            "nightly", lease -> assertThat(files()).contains("leases.db-wal")))
                    .isTrue();
            assertThat(leasehold.runOnce("report", run -> "first").toOptional()).contains("first");
        }
        // SQLite removes its write-ahead log when the last connection to the file is closed.
        assertThat(files()).containsExactly("leases.db");
        try (Leasehold again = Leasehold.open(url())) {
            assertThat(again.runOnce("report", run -> "second").toOptional()).contains("first");
        }
    }

    @Test
    @DisplayName("does nothing when it is closed a second time")
    void closedTwice() {
        Leasehold leasehold = Leasehold.openOrCreate(url());
        leasehold.close();
        leasehold.close();
        assertThat(files()).containsExactly("leases.db");
    }

    @Test
    @DisplayName("says what is missing and how to create it, and leaves nothing behind")
    void missing() {
        assertThatThrownBy(() -> Leasehold.open(url()))
                .isInstanceOf(MissingSchemaException.class)
                .hasMessageContaining("leases.db")
                .hasMessageContaining("Leasehold.openOrCreate(url)");
        assertThat(files()).isEmpty();
    }

    @Test
    @DisplayName("does not close a store that was handed in")
    void foreignStore() {
        try (LeaseStore store = Stores.builder(url()).creatingSchema().open()) {
            Leasehold.on(store).close();
            Leasehold second = Leasehold.on(store);
            assertThat(second.runIfFree("nightly", lease -> {})).isTrue();
            second.close();
        }
        assertThat(files()).containsExactly("leases.db");
    }

    @Test
    @DisplayName("creates tables on a server for a user beside the URL, and leaves no connection open after any end")
    void onAServer() throws Exception {
        try (Database database = PostgresServer.shared(18).freshDatabase()) {
            StoreUrl url = StoreUrl.of(database.url()).withUser(database.user(), database.password());
            assertThatThrownBy(() -> Leasehold.open(url))
                    .isInstanceOf(MissingSchemaException.class)
                    .hasMessageContaining("leasehold schema --apply");
            Threads.eventually("closed after a failure", () -> connections(database) == 0);
            Stores.createSchema(url);
            Threads.eventually("closed after the tables were made", () -> connections(database) == 0);
            try (Leasehold leasehold = Leasehold.open(url)) {
                assertThat(leasehold.runWhenFree("nightly", Duration.ofSeconds(1), lease -> {}))
                        .isTrue();
                assertThat(connections(database)).isBetween(1, 6);
            }
            Threads.eventually("closed", () -> connections(database) == 0);
            StoreUrl wrong = StoreUrl.of(database.url()).withUser(database.user(), "s3cret");
            assertThatThrownBy(() -> Leasehold.openOrCreate(wrong))
                    .isInstanceOf(StoreException.class)
                    .message()
                    .doesNotContain("s3cret");
        }
    }

    /** Connections to the database, without the one that asks. */
    private static int connections(Database database) {
        try (Connection own = database.connect()) {
            return Integer.parseInt(Sessions.ask(
                    own,
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND pid <> pg_backend_pid()"));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private String[] files() {
        String[] names = directory.toFile().list();
        Arrays.sort(names);
        return names;
    }
}
