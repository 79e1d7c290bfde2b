package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The schema")
class SchemaTest {
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
}
