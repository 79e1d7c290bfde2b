package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A server named in the environment")
class OutsideTest {
    @Test
    @DisplayName("replaces the built-in ones, and is not started with settings")
    void replacesBuiltIn() throws IOException {
        Map<String, String> environment = Map.of(
                PostgresServer.VARIABLE, "jdbc:postgresql://pg.example/app?user=me&password=secret",
                MariaDbServer.VARIABLE, "jdbc:mariadb://maria.example/app",
                RedisServer.VARIABLE, "redis://:secret@redis.example/");
        try (OtherJvm jvm = OtherJvm.start(AskForServers.class, environment)) {
            assertThat(jvm.line()).isEqualTo("jdbc:postgresql://pg.example/app me secret");
            assertThat(jvm.line()).isEqualTo("jdbc:postgresql://pg.example/app me secret");
            assertThat(jvm.line()).isEqualTo("jdbc:mariadb://maria.example/app");
            assertThat(jvm.line()).isEqualTo("redis.example 6379 secret");
            assertThat(jvm.line()).contains("LEASEHOLD_TEST_POSTGRES_URL", "fsync=off");
        }
    }

    /** Asks for servers as a test does. */
    static final class AskForServers {
        private AskForServers() {}

        public static void main(String[] arguments) {
            for (PostgresServer server :
                    new PostgresServer[] {PostgresServer.shared(16), PostgresServer.start(18, Config.relaxed())}) {
                System.out.println(server.url() + " " + server.user() + " " + server.password());
            }
            System.out.println(MariaDbServer.shared().url());
            RedisServer redis = RedisServer.shared();
            System.out.println(redis.host() + " " + redis.port() + " " + redis.password());
            try {
                PostgresServer.start(17, Config.durable().with("fsync", "off"));
            } catch (UnsupportedOperationException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
