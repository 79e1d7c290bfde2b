package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Redis")
class RedisServerTest extends ServerContract<RedisServer> {
    @Override
    RedisServer start(Config config) {
        return RedisServer.start(config);
    }

    @Override
    RedisServer seenFromOutside(RedisServer server) {
        return RedisServer.at(server.url());
    }

    @Override
    RedisSession open(RedisServer server) throws IOException {
        return RedisSession.open(server);
    }

    @Test
    @DisplayName("It answers PING, and only those with the password")
    void ping() throws IOException {
        try (RedisSession session = open(server);
                RedisConnection stranger = RedisConnection.open(server.host(), server.port(), 1_000)) {
            assertThat(session.ask("PING")).containsExactly("PONG");
            assertThatThrownBy(() -> stranger.call("PING")).hasMessageContaining("NOAUTH");
        }
    }

    @Test
    @DisplayName("Relaxed, it does not wait for the disk, but writes before it answers")
    void relaxed() throws IOException {
        try (RedisSession session = open(server)) {
            assertThat(session.ask("CONFIG", "GET", "appendonly")).contains("yes");
            assertThat(session.ask("CONFIG", "GET", "appendfsync")).contains("no");
        }
    }

    @Test
    @DisplayName("The shared server is one per JVM and config, durable, and outlives being closed")
    void shared() throws IOException {
        RedisServer shared = RedisServer.shared();
        shared.close();
        assertThat(RedisServer.shared()).isSameAs(shared);
        try (RedisSession session = open(shared)) {
            assertThat(session.ask("CONFIG", "GET", "appendfsync")).contains("always");
        }
    }

    @Test
    @DisplayName("Settings of one's own take effect")
    void settings() throws IOException {
        try (RedisServer own = RedisServer.start(Config.durable().with("appendonly", "no"));
                RedisSession session = open(own)) {
            assertThat(session.ask("CONFIG", "GET", "appendonly")).contains("no");
        }
    }

    @Test
    @DisplayName("Each fresh database is empty and another one")
    void freshDatabase() throws IOException {
        String first = server.freshDatabase();
        String second = server.freshDatabase();
        assertThat(first).startsWith(server.url() + "/").isNotEqualTo(second);
        try (RedisSession session = open(server)) {
            session.ask("SELECT", Integer.toString(number(second) + 1));
            session.put("of somebody else");
        }
        assertThat(number(server.freshDatabase())).isEqualTo(number(second) + 2);
    }

    @Test
    @DisplayName("A replica has what its master had, and when it is promoted stays a master")
    void replica() {
        server.call("SET", "replicated", "yes");
        try (RedisServer replica = server.startReplica(Config.relaxed())) {
            assertThat(replica.call("GET", "replicated")).containsExactly("yes");
            replica.call("REPLICAOF", "NO", "ONE");
            replica.kill();
            replica.restart();
            assertThat(replica.call("GET", "replicated")).containsExactly("yes");
            assertThat(replica.call("ROLE")).contains("master");
        }
    }

    @Test
    @DisplayName("A URL that it does not understand is refused")
    void badUrl() {
        assertThatThrownBy(() -> RedisServer.at("localhost:6379")).hasMessageContaining("redis://:secret@host:6379");
    }

    private static int number(String url) {
        return Integer.parseInt(url.substring(url.lastIndexOf('/') + 1));
    }
}
