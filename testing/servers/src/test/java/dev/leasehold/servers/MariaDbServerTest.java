package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("MariaDB")
class MariaDbServerTest extends ServerContract<MariaDbServer> {
    @Override
    MariaDbServer start(Config config) {
        return MariaDbServer.start(config);
    }

    @Override
    MariaDbServer seenFromOutside(MariaDbServer server) {
        return MariaDbServer.at(server.url() + "?user=" + server.user() + "&password=" + server.password());
    }

    @Override
    SqlSession open(MariaDbServer server) throws SQLException {
        return SqlSession.open(server);
    }

    @BeforeAll
    void makeTable() throws SQLException {
        try (SqlSession session = open(server)) {
            session.put("old");
        }
    }

    @Test
    @DisplayName("It is the version the build brings")
    void version() throws SQLException {
        try (SqlSession session = open(server)) {
            assertThat(session.ask("SELECT VERSION()").get(0)).startsWith("11.4.");
        }
    }

    @Test
    @DisplayName("Relaxed, it does not wait for the disk, but commits before it answers")
    void relaxed() throws SQLException {
        try (SqlSession session = open(server)) {
            assertThat(session.ask("SELECT @@innodb_flush_method")).containsExactly("nosync");
            assertThat(session.ask("SELECT @@innodb_flush_log_at_trx_commit")).containsExactly("1");
        }
    }

    @Test
    @DisplayName("It lets nobody in without the password")
    void password() throws SQLException {
        assertThatThrownBy(() -> MariaDbServer.at(server.url() + "?user=root").connect())
                .hasMessageContaining("Access denied");
        try (SqlSession session = open(server)) {
            assertThat(session.ask("SELECT User FROM mysql.user WHERE User <> 'mariadb.sys'"))
                    .containsExactly("leasehold");
        }
    }

    @Test
    @DisplayName("A fresh database is empty, one's own, and gone when closed")
    void freshDatabase() throws SQLException {
        Database one = server.freshDatabase();
        Database two = seenFromOutside(server).freshDatabase();
        try (SqlSession inOne = SqlSession.open(one);
                SqlSession inTwo = SqlSession.open(two)) {
            inOne.put("of one");
            inTwo.put("of two");
            assertThat(inOne.words()).containsExactly("of one");
            assertThat(inTwo.words()).containsExactly("of two");
        }
        one.close();
        assertThatThrownBy(one::connect).hasMessageContaining("Unknown database");
        two.close();
    }

    @Test
    @DisplayName("The shared server is one per JVM and config, durable, and outlives being closed")
    void shared() throws SQLException {
        MariaDbServer shared = MariaDbServer.shared();
        shared.close();
        assertThat(MariaDbServer.shared()).isSameAs(shared);
        try (SqlSession session = open(shared)) {
            assertThat(session.ask("SELECT @@innodb_flush_method")).containsExactly("O_DIRECT");
            assertThat(session.ask("SELECT @@innodb_flush_log_at_trx_commit")).containsExactly("1");
        }
    }

    @Test
    @DisplayName("Settings of one's own take effect")
    void settings() throws SQLException {
        try (MariaDbServer own = MariaDbServer.start(Config.relaxed().with("innodb-lock-wait-timeout", "7"));
                SqlSession session = open(own)) {
            assertThat(session.ask("SELECT @@innodb_lock_wait_timeout")).containsExactly("7");
        }
    }
}
