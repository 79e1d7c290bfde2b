package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Redis 6.2, or the one that {@code LEASEHOLD_TEST_REDIS_URL} names. */
public final class RedisServer extends Server {
    static final String VARIABLE = "LEASEHOLD_TEST_REDIS_URL";

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int SYNC_SECONDS = 30;
    private static final Map<Config, RedisServer> SHARED = new ConcurrentHashMap<>();

    private final URI url;
    private int databases;

    private RedisServer(@Nullable Instance instance, boolean isShared, URI url) {
        super(instance, VARIABLE, isShared);
        this.url = url;
    }

    /** The durable server that the whole JVM shares, started at the first call. */
    public static RedisServer shared() {
        return shared(Config.durable());
    }

    /** The server that all callers in this JVM share who ask for the same, started at the first call. */
    public static RedisServer shared(Config config) {
        return SHARED.computeIfAbsent(config, key -> create(key, true));
    }

    /** A durable server of one's own. */
    public static RedisServer start() {
        return start(Config.durable());
    }

    /**
     * A server of one's own.
     *
     * @throws UnsupportedOperationException if it needs settings, but the environment names a server
     */
    public static RedisServer start(Config config) {
        return create(config, false);
    }

    /** A server that somebody else runs. */
    public static RedisServer at(String url) {
        URI parsed = URI.create(url);
        if (!"redis".equals(parsed.getScheme()) || parsed.getHost() == null) {
            throw new IllegalArgumentException("Not a URL such as redis://:secret@host:6379: " + url);
        }
        return new RedisServer(null, true, parsed);
    }

    /** Always one of ours, whatever the environment names. */
    static RedisServer builtIn(Config config, String password, boolean isShared) {
        RedisProgram program = new RedisProgram(config, password);
        Instance instance = Instance.start(program);
        URI url = URI.create("redis://:" + program.password() + "@127.0.0.1:" + instance.port());
        return new RedisServer(instance, isShared, url);
    }

    private static RedisServer create(Config config, boolean isShared) {
        return Outside.url(VARIABLE, config)
                .map(RedisServer::at)
                .orElseGet(() -> builtIn(config, Passwords.fresh(), isShared));
    }

    /** Such as {@code redis://:password@127.0.0.1:6379}. It stays the same for the life of the server. */
    public String url() {
        return url.toString();
    }

    /** The host's name or address. */
    public String host() {
        return url.getHost();
    }

    /** The port for clients. */
    public int port() {
        return url.getPort() < 0 ? 6379 : url.getPort();
    }

    /** The password, or nothing if there is none. */
    public String password() {
        return secondHalf(Optional.ofNullable(url.getUserInfo()).orElse(""));
    }

    /**
     * The URL of an empty database that nobody in this JVM was given before.
     *
     * @throws IllegalStateException if there is none left
     */
    public synchronized String freshDatabase() {
        try (RedisConnection connection = connect()) {
            do {
                connection.call("SELECT", Integer.toString(++databases));
            } while (!connection.call("DBSIZE").contains("0"));
            return url.resolve("/" + databases).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Asks the server something, and gives the parts of the answer, however nested.
     *
     * @throws IllegalStateException if the answer is an error
     */
    public List<String> call(String... words) {
        try (RedisConnection connection = connect()) {
            return connection.call(words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Instant time() {
        return Instant.ofEpochSecond(Long.parseLong(call("TIME").get(0)));
    }

    /** Starts a server of one's own that follows this one and has all that it has. Both have the same password and time. */
    public RedisServer startReplica(Config config) {
        RedisServer replica = builtIn(config, password(), false);
        if (config.hasMovableClock()) {
            replica.moveClock(clockAhead());
        }
        // Not in its configuration: once promoted, it stays so when it is started again.
        replica.call("CONFIG", "SET", "masterauth", password());
        replica.call("REPLICAOF", host(), Integer.toString(port()));
        if (!Waiting.until(replica::isInSync, SYNC_SECONDS)) {
            replica.close();
            throw new IllegalStateException("The replica of " + host() + ":" + port() + " does not follow.");
        }
        return replica;
    }

    /** Also on its disk: until the copy is there, whoever kills it has nothing. */
    private boolean isInSync() {
        String info = call("INFO").toString();
        return info.contains("master_link_status:up")
                && info.contains("aof_rewrite_in_progress:0")
                && info.contains("aof_rewrite_scheduled:0");
    }

    RedisConnection connect() throws IOException {
        RedisConnection connection = RedisConnection.open(host(), port(), TIMEOUT_MILLIS);
        if (!password().isEmpty()) {
            connection.call("AUTH", password());
        }
        return connection;
    }

    /** Of "user:password". */
    private static String secondHalf(String userInfo) {
        return userInfo.substring(userInfo.indexOf(':') + 1);
    }
}
