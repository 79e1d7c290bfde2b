package dev.leasehold.redis;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.tck.proxy.FaultProxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server, and the way to it behind a store's back. Each has a prefix of its own. */
final class TestRedis implements AutoCloseable {
    final RedisServer server;
    final String prefix = "trap " + UUID.randomUUID() + ":";
    private final boolean isShared;

    private TestRedis(RedisServer server, boolean isShared) {
        this.server = server;
        this.isShared = isShared;
    }

    /** The server that all tests of this JVM share. */
    static TestRedis shared() {
        return new TestRedis(RedisServer.shared(Config.relaxed()), true);
    }

    /** A server of one's own, to be harmed. */
    static TestRedis own(Config config) {
        return new TestRedis(RedisServer.start(config), false);
    }

    RedisLeaseStoreBuilder builder() {
        return builder(server.port());
    }

    /** The same server by another port. */
    RedisLeaseStoreBuilder builder(int port) {
        return RedisLeaseStore.builder("redis://:" + server.password() + "@" + server.host() + ":" + port)
                .prefix(prefix)
                .callLimit(Duration.ofSeconds(2))
                .acceptingLostWrites();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(server.host(), server.port());
    }

    FaultProxy proxy() {
        return FaultProxy.to(address(), 1);
    }

    /** One command; the answer as text, lists with blanks between their parts. */
    String ask(String... words) {
        return askAt(server.url(), words);
    }

    static String askAt(String url, String... words) {
        byte[] command = Bytes.of(words[0]);
        byte[][] rest = Stream.of(words).skip(1).map(Bytes::of).toArray(byte[][]::new);
        try (Redis redis = RedisLeaseStore.builder(url).redis()) {
            return text(redis.ask(redis.nodes.all().get(0), Call.of(() -> command, rest)));
        }
    }

    /** The same without a password, which the server must have been told to do without. */
    String askOpenly(String... words) {
        return askAt(openUrl(), words);
    }

    String openUrl() {
        return "redis://" + server.host() + ":" + server.port();
    }

    private static String text(@Nullable Object answer) {
        if (answer instanceof List<?> list) {
            return String.join(" ", list.stream().map(TestRedis::text).toList());
        }
        return answer instanceof byte[] bytes ? Bytes.text(bytes) : Objects.toString(answer, "");
    }

    /** What INFO says about this; nothing if it does not. */
    String info(String name) {
        return info(ask("INFO", "all"), name);
    }

    String infoOpenly(String name) {
        return info(askOpenly("INFO", "all"), name);
    }

    private static String info(String text, String name) {
        return Stream.of(text.split("\r\n", -1))
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        if (!isShared) {
            server.close();
        }
    }
}
