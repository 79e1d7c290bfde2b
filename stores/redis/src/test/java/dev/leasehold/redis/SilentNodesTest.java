package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.StoreUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayName("A Redis cluster of which some nodes take connections and never answer")
class SilentNodesTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    private final List<ServerSocket> silent = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (ServerSocket socket : silent) {
            socket.close();
        }
    }

    private String silent(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            silent.add(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        }
        return silent.stream()
                .map(socket -> socket.getInetAddress().getHostAddress() + ":" + socket.getLocalPort())
                .collect(Collectors.joining(","));
    }

    private static Redis redis(String login, String hosts) {
        return RedisLeaseStore.builder("redis-cluster://" + login + hosts)
                .callLimit(LIMIT)
                .redis();
    }

    private static Duration time(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @DisplayName("L08 is unavailable within one call limit, however many nodes are silent")
    void allSilent() throws IOException {
        try (Redis redis = redis("", silent(4))) {
            assertThat(time(() -> assertThatExceptionOfType(StoreUnavailableException.class)
                            .isThrownBy(redis.nodes::all)))
                    .isLessThan(LIMIT.multipliedBy(2));
        }
    }

    @Test
    @DisplayName("L08 is found by the node that answers, within one call limit")
    void oneAnswers() throws IOException {
        RedisServer node = RedisUnderTest.SharedCluster.CLUSTER.nodes().get(0);
        String hosts = silent(3) + "," + node.host() + ":" + node.port();
        try (Redis redis = redis(":" + node.password() + "@", hosts)) {
            assertThat(time(() -> assertThat(redis.nodes.all()).hasSize(3))).isLessThan(LIMIT);
        }
    }

    @Test
    @DisplayName("that refuses the password says so")
    void wrongPassword() {
        RedisServer node = RedisUnderTest.SharedCluster.CLUSTER.nodes().get(0);
        try (Redis redis = redis(":wrong@", node.host() + ":" + node.port())) {
            assertThatExceptionOfType(dev.leasehold.store.StoreException.class)
                    .isThrownBy(redis.nodes::all)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .withMessageContaining("WRONGPASS");
        }
    }
}
