package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What holds for every version of PostgreSQL. */
abstract class PostgresContract extends ServerContract<PostgresServer> {
    abstract int major();

    @Override
    PostgresServer start(Config config) {
        return PostgresServer.start(major(), config);
    }

    @Override
    PostgresServer seenFromOutside(PostgresServer server) {
        return PostgresServer.at(server.url() + "?user=" + server.user() + "&password=" + server.password());
    }

    @Override
    SqlSession open(PostgresServer server) throws SQLException {
        return SqlSession.open(server);
    }

    @BeforeAll
    final void makeTable() throws SQLException {
        try (SqlSession session = open(server)) {
            session.put("old");
        }
    }

    @Test
    @DisplayName("It is the version asked for")
    final void version() throws SQLException {
        try (SqlSession session = open(server)) {
            assertThat(session.ask("SHOW server_version").get(0)).startsWith(major() + ".");
        }
    }

    @Test
    @DisplayName("Relaxed, it does not write whole pages, but commits before it answers, as Leasehold demands")
    final void relaxed() throws SQLException {
        try (SqlSession session = open(server)) {
            assertThat(session.ask("SHOW full_page_writes")).containsExactly("off");
            assertThat(session.ask("SHOW fsync")).containsExactly("on");
            assertThat(session.ask("SHOW synchronous_commit")).containsExactly("on");
        }
    }

    @Test
    @DisplayName("A fresh database is empty, one's own, and gone when closed")
    final void freshDatabase() throws SQLException {
        Database one = server.freshDatabase();
        Database two = seenFromOutside(server).freshDatabase();
        try (SqlSession inOne = SqlSession.open(one);
                SqlSession inTwo = SqlSession.open(two)) {
            inOne.put("of one");
            inTwo.put("of two");
            assertThat(inOne.words()).containsExactly("of one");
            assertThat(inTwo.words()).containsExactly("of two");
            one.close();
        }
        assertThatThrownBy(one::connect).hasMessageContaining("does not exist");
        two.close();
    }
}
