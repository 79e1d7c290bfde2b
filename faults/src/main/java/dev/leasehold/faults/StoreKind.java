package dev.leasehold.faults;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The stores that are put to the test. One whose module is not on the class path is left out. */
enum StoreKind {
    FILE("file:") {
        @Override
        Bed open(Path directory, long seed) {
            return new FileBed(this, directory);
        }
    },
    SQLITE("sqlite:") {
        @Override
        Bed open(Path directory, long seed) {
            return new SqliteBed(this, directory);
        }
    },
    POSTGRESQL("jdbc:postgresql:") {
        @Override
        Bed open(Path directory, long seed) {
            Config config = Config.relaxed().with("max_connections", Integer.toString(CONNECTIONS));
            return new SqlServerBed(this, PostgresServer.start(18, config), seed);
        }
    },
    MARIADB("jdbc:mariadb:") {
        @Override
        Bed open(Path directory, long seed) {
            Config config = Config.relaxed().with("max-connections", Integer.toString(CONNECTIONS));
            return new SqlServerBed(this, MariaDbServer.start(config), seed);
        }
    },
    REDIS("redis:") {
        @Override
        Bed open(Path directory, long seed) {
            return new RedisBed(this, RedisServer.start(Config.relaxed()), seed);
        }
    };

    /** Enough for eight workers and some more. */
    private static final int CONNECTIONS = 80;

    private final String scheme;

    StoreKind(String scheme) {
        this.scheme = scheme;
    }

    /** Makes the store. */
    abstract Bed open(Path directory, long seed) throws IOException;

    boolean isAvailable() {
        try {
            return Stores.provider(StoreUrl.of(scheme)) != null;
        } catch (StoreException e) {
            return false;
        }
    }

    static List<StoreKind> available() {
        return Arrays.stream(values()).filter(StoreKind::isAvailable).toList();
    }

    static StoreKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
