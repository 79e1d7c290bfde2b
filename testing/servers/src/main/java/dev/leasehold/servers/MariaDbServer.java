package dev.leasehold.servers;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** MariaDB 11.4, or the one that {@code LEASEHOLD_TEST_MARIADB_URL} names. */
public final class MariaDbServer extends SqlServer {
    static final String VARIABLE = "LEASEHOLD_TEST_MARIADB_URL";

    private static final Map<Config, MariaDbServer> SHARED = new ConcurrentHashMap<>();

    private MariaDbServer(@Nullable Instance instance, boolean isShared, JdbcUrl url) {
        super(instance, VARIABLE, isShared, url);
    }

    /** The durable server that the whole JVM shares, started at the first call. */
    public static MariaDbServer shared() {
        return shared(Config.durable());
    }

    /** The server that all callers in this JVM share who ask for the same, started at the first call. */
    public static MariaDbServer shared(Config config) {
        return SHARED.computeIfAbsent(config, key -> create(key, true));
    }

    /** A durable server of one's own. */
    public static MariaDbServer start() {
        return start(Config.durable());
    }

    /**
     * A server of one's own.
     *
     * @throws UnsupportedOperationException if it needs settings, but the environment names a server
     */
    public static MariaDbServer start(Config config) {
        return create(config, false);
    }

    /** A server that somebody else runs. */
    static MariaDbServer at(String url) {
        return new MariaDbServer(null, true, JdbcUrl.parse(url));
    }

    private static MariaDbServer create(Config config, boolean isShared) {
        return Outside.url(VARIABLE, config).map(MariaDbServer::at).orElseGet(() -> {
            MariaDbProgram program = new MariaDbProgram(config);
            Instance instance = Instance.start(program);
            JdbcUrl url = JdbcUrl.parse(MariaDbProgram.url(instance.port()))
                    .withUser(MariaDbProgram.USER, program.password());
            return new MariaDbServer(instance, isShared, url);
        });
    }

    @Override
    String dropStatement(String database) {
        return "DROP DATABASE IF EXISTS " + database;
    }
}
