package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("PostgreSQL 18")
class Postgres18Test extends PostgresContract {
    @Override
    int major() {
        return 18;
    }

    @Test
    @DisplayName("The shared server is one per JVM and config, durable, and outlives being closed")
    void shared() throws SQLException {
        PostgresServer shared = PostgresServer.shared(18);
        shared.close();
        assertThat(PostgresServer.shared(18)).isSameAs(shared);
        try (SqlSession session = open(shared)) {
            assertThat(session.ask("SHOW fsync")).containsExactly("on");
            assertThat(session.ask("SHOW synchronous_commit")).containsExactly("on");
            assertThat(session.ask("SHOW full_page_writes")).containsExactly("on");
        }
    }

    @Test
    @DisplayName("Settings of one's own take effect")
    void settings() throws SQLException {
        Config config = Config.durable().with("synchronous_commit", "off").with("max_connections", "17");
        try (PostgresServer own = PostgresServer.start(18, config);
                SqlSession session = open(own)) {
            assertThat(session.ask("SHOW synchronous_commit")).containsExactly("off");
            assertThat(session.ask("SHOW max_connections")).containsExactly("17");
        }
    }

    @Test
    @DisplayName("A setting that the server refuses is in the failure, and nothing is left of the attempt")
    void refusedSetting() {
        List<File> before = homes();
        Config config = Config.relaxed().with("wal_level", "nonsense");
        assertThatThrownBy(() -> PostgresServer.start(18, config))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nonsense");
        assertThat(homes()).isEqualTo(before);
    }

    private static List<File> homes() {
        return Guard.roots().stream()
                .flatMap(root -> Stream.of(root.toFile().listFiles()))
                .sorted()
                .toList();
    }

    @Test
    @DisplayName("A version that is not there is refused")
    void unknownVersion() {
        assertThatThrownBy(() -> PostgresServer.shared(15))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only 16, 17 and 18");
    }
}
