package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Race;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The schema")
class SchemaTest {
    private static final int NODES = 8;

    @TempDir
    private Path directory;

    private String url() {
        return "jdbc:sqlite:" + directory.resolve("leases.db");
    }

    @Test
    @DisplayName("is asked for by name where it is missing, with the ways to create it")
    void missing() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> JdbcLeaseStore.of(url(), null, null))
                .withMessageContaining("JdbcLeaseStore.createSchema")
                .withMessageContaining("dev/leasehold/jdbc/sqlite.sql");
    }

    @Test
    @DisplayName("can be created again without harm")
    void twice() {
        JdbcLeaseStore.createSchema(url(), null, null);
        JdbcLeaseStore.createSchema(url(), null, null);
        try (JdbcLeaseStore store = JdbcLeaseStore.of(url(), null, null)) {
            assertThat(store.find(Key.of("k"))).isEmpty();
        }
    }

    @Test
    @DisplayName("of another version is refused, naming both")
    void otherVersion() throws SQLException {
        JdbcLeaseStore.createSchema(url(), null, null);
        try (Connection connection = new UrlDataSource(url(), null, null).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE leasehold_schema SET version = 99");
        }
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> JdbcLeaseStore.of(url(), null, null))
                .withMessageContaining("version 99")
                .withMessageContaining("version 1");
    }

    @Test
    @DisplayName("of an unknown database is refused, naming the known ones")
    void unknownDatabase() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Dialect.of("Oracle"))
                .withMessageContaining("Oracle")
                .withMessageContaining("POSTGRESQL");
    }

    @Test
    @DisplayName("cannot be seen in a database that is not there, which is said with its cause")
    void unreachable() {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> JdbcLeaseStore.of("jdbc:postgresql://127.0.0.1:1/none?loginTimeout=2", "u", "p"))
                .withCauseInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("can be created by eight nodes at once, by autocommit or not, and has one version")
    void atOnce(Kind kind) throws Exception {
        for (int round = 0; round < NODES; round++) {
            Path own = Files.createDirectory(directory.resolve("round-" + round));
            boolean commitsByItself = round % 2 == 0;
            try (TestDatabase database = kind.shared(own)) {
                drop(database);
                List<Connection> used = new CopyOnWriteArrayList<>();
                DataSource source = Sessions.source(() -> {
                    Connection connection = database.source().getConnection();
                    connection.setAutoCommit(commitsByItself);
                    used.add(connection);
                    return Unclosed.of(connection);
                });
                Race.of(NODES, node -> () -> {
                    JdbcLeaseStore.createSchema(source);
                    return node;
                });
                assertThat(Sessions.ask(database.source(), "SELECT count(*) FROM leasehold_schema"))
                        .isEqualTo("1");
                assertGivenBack(kind, used, commitsByItself);
                JdbcLeaseStore.of(database.source()).close();
            }
        }
    }

    private static void assertGivenBack(Kind kind, List<Connection> used, boolean commitsByItself) throws SQLException {
        assertThat(used).hasSizeGreaterThanOrEqualTo(NODES);
        for (Connection connection : used) {
            assertThat(connection.getAutoCommit()).isEqualTo(commitsByItself);
            if (kind == Kind.MARIADB) {
                assertThat(Sessions.ask(connection, "SELECT release_all_locks()"))
                        .isEqualTo("0");
            }
            connection.close();
        }
    }

    /** The kit has made the tables already. */
    private static void drop(TestDatabase database) throws SQLException {
        for (String table : List.of("leasehold_lease", "leasehold_line", "leasehold_history", "leasehold_schema")) {
            Sessions.execute(database.source(), "DROP TABLE " + table);
        }
    }
}
