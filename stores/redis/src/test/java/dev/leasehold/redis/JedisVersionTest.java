package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;

@DisplayName("The Jedis under test")
class JedisVersionTest {
    @Test
    @DisplayName("is the one that the build says")
    void version() throws IOException {
        Properties jar = new Properties();
        try (InputStream file =
                Connection.class.getResourceAsStream("/META-INF/maven/redis.clients/jedis/pom.properties")) {
            jar.load(file);
        }
        assertThat(jar).containsEntry("version", System.getProperty("leasehold.jedis"));
    }
}
