package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("A Redis cluster")
class RedisClusterTest {
    @Test
    @DisplayName("serves each key at one node, and again after that node was killed")
    void servesKeys() throws IOException {
        try (RedisCluster cluster = RedisCluster.start(Config.relaxed())) {
            // The key of the session is in slot 2,076: the first third.
            RedisServer owner = cluster.nodes().get(0);
            assertThat(cluster.nodes()).extracting(RedisServer::password).containsOnly(owner.password());
            try (RedisSession session = RedisSession.open(owner)) {
                session.put("kept");
            }
            try (RedisSession session = RedisSession.open(cluster.nodes().get(1))) {
                assertThatThrownBy(session::words)
                        .hasMessageContaining("MOVED")
                        .hasMessageContaining(":" + owner.port());
            }
            owner.kill();
            owner.restart();
            boolean isBack = Waiting.until(() -> canRead(owner), 20);
            assertThat(isBack).isTrue();
        }
    }

    private static boolean canRead(RedisServer server) {
        try (RedisSession session = RedisSession.open(server)) {
            return session.words().contains("kept");
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }
}
