package dev.leasehold.faults;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The stores that are put to the test. */
enum StoreKind {
    FILE {
        @Override
        Bed open(Path directory, long seed) {
            return new FileBed(directory);
        }
    },
    SQLITE {
        @Override
        Bed open(Path directory, long seed) throws IOException {
            return new SqliteBed(directory);
        }
    },
    POSTGRESQL {
        @Override
        Bed open(Path directory, long seed) {
            Config config = Config.relaxed().withMovableClock().with("max_connections", Integer.toString(CONNECTIONS));
            return new SqlServerBed(this, PostgresServer.start(18, config), seed);
        }
    },
    MARIADB {
        @Override
        Bed open(Path directory, long seed) {
            Config config = Config.relaxed().withMovableClock().with("max-connections", Integer.toString(CONNECTIONS));
            return new SqlServerBed(this, MariaDbServer.start(config), seed);
        }
    },
    REDIS {
        @Override
        Bed open(Path directory, long seed) {
            Config config = Config.relaxed().withMovableClock().with("maxclients", Integer.toString(CONNECTIONS));
            return new RedisBed(config, seed);
        }
    };

    /** Enough for eight workers and some more. */
    private static final int CONNECTIONS = 80;

    /** Makes the store. */
    abstract Bed open(Path directory, long seed) throws IOException;

    static StoreKind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
