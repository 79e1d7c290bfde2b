package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A server that keeps its data")
@Timeout(90)
class KeptDataTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("has them, and its password, after it was closed or killed")
    void data() throws Exception {
        Path place = directory.resolve("postgres");
        String password;
        try (PostgresServer server = PostgresServer.keeping(17, place)) {
            server.execute("CREATE TABLE kept (n int)");
            server.execute("INSERT INTO kept VALUES (1)");
            password = server.password();
        }
        try (PostgresServer server = PostgresServer.keeping(17, place)) {
            assertThat(server.password()).isEqualTo(password);
            server.execute("INSERT INTO kept VALUES (2)");
            server.kill();
        }
        try (PostgresServer server = PostgresServer.keeping(17, place);
                Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT sum(n) FROM kept")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getInt(1)).isEqualTo(3);
        }
    }
}
