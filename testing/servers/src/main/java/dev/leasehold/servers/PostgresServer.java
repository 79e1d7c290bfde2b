package dev.leasehold.servers;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** PostgreSQL 16, 17 or 18; or the one that {@code LEASEHOLD_TEST_POSTGRES_URL} names, in place of every version. */
public final class PostgresServer extends SqlServer {
    static final String VARIABLE = "LEASEHOLD_TEST_POSTGRES_URL";

    private static final Set<Integer> MAJORS = Set.of(16, 17, 18);
    private static final Map<SharedKey, PostgresServer> SHARED = new ConcurrentHashMap<>();

    private record SharedKey(int major, Config config) {}

    private PostgresServer(@Nullable Instance instance, boolean isShared, JdbcUrl url) {
        super(instance, VARIABLE, isShared, url);
    }

    /** The durable server of this version that the whole JVM shares, started at the first call. */
    public static PostgresServer shared(int major) {
        return shared(major, Config.durable());
    }

    /** The server that all callers in this JVM share who ask for the same, started at the first call. */
    public static PostgresServer shared(int major, Config config) {
        return SHARED.computeIfAbsent(new SharedKey(major, config), key -> create(major, config, true));
    }

    /** A durable server of one's own. */
    public static PostgresServer start(int major) {
        return start(major, Config.durable());
    }

    /**
     * A server of one's own.
     *
     * @throws UnsupportedOperationException if it needs settings, but the environment names a server
     */
    public static PostgresServer start(int major, Config config) {
        return create(major, config, false);
    }

    /** A durable server whose data stay in this directory, also after it is closed; they are made if it has none. */
    public static PostgresServer keeping(int major, Path directory) {
        PostgresProgram program = new PostgresProgram(major, Config.durable(), directory);
        return of(program, Instance.startKeeping(program, directory.resolve("data")), false);
    }

    /** A server that somebody else runs. */
    static PostgresServer at(String url) {
        return new PostgresServer(null, true, JdbcUrl.parse(url));
    }

    private static PostgresServer create(int major, Config config, boolean isShared) {
        if (!MAJORS.contains(major)) {
            throw new IllegalArgumentException("No PostgreSQL " + major + " here, only 16, 17 and 18.");
        }
        return Outside.url(VARIABLE, config).map(PostgresServer::at).orElseGet(() -> {
            PostgresProgram program = new PostgresProgram(major, config);
            return of(program, Instance.start(program), isShared);
        });
    }

    private static PostgresServer of(PostgresProgram program, Instance instance, boolean isShared) {
        JdbcUrl url =
                JdbcUrl.parse(PostgresProgram.url(instance.port())).withUser(PostgresProgram.USER, program.password());
        return new PostgresServer(instance, isShared, url);
    }

    @Override
    String dropStatement(String database) {
        return "DROP DATABASE IF EXISTS " + database + " WITH (FORCE)";
    }
}
