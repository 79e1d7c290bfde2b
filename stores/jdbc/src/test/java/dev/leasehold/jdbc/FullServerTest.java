package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A server that has no connection to spare")
class FullServerTest {
    private static final String USER = "small_" + Ask.key().value().replaceAll("[^a-z0-9]", "");
    private static final String SECRET = "only-one";

    @TempDir
    private Path directory;

    private TestDatabase database;

    @AfterEach
    void close() throws SQLException {
        Sessions.execute(database.source(), "DROP USER " + USER);
        database.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("is asked again until it has one")
    void isAskedAgain(Kind kind) throws Exception {
        database = kind.fresh(directory);
        Sessions.execute(
                database.source(),
                kind == Kind.POSTGRESQL
                        ? "CREATE USER " + USER + " PASSWORD '" + SECRET + "' CONNECTION LIMIT 1"
                        : "CREATE USER " + USER + " IDENTIFIED BY '" + SECRET + "' WITH MAX_USER_CONNECTIONS 1");
        if (kind == Kind.MARIADB) {
            Sessions.execute(database.source(), "GRANT ALL ON *.* TO " + USER);
        }
        UrlDataSource source = new UrlDataSource(database.url(), USER, SECRET);
        Threads.Running<Connection> second;
        try (Connection first = DriverManager.getConnection(database.url(), USER, SECRET)) {
            assertThat(first.isValid(5)).isTrue();
            second = Threads.start(source::getConnection);
            Threads.eventually("it waits", second::isWaiting);
        }
        try (Connection connection = second.get()) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }
}
