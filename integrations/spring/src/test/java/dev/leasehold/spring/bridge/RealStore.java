package dev.leasehold.spring.bridge;

import dev.leasehold.servers.Config;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.MariaDbServer;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.RedisServer;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreBuilder;
import dev.leasehold.store.Stores;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The real stores that the bridges are tested on. Each has one database for all tests of this JVM. */
public enum RealStore {
    POSTGRESQL,
    MARIADB,
    REDIS;

    private static final Map<RealStore, StoreBuilder> STARTED = new ConcurrentHashMap<>();

    private StoreBuilder start() {
        return switch (this) {
            case POSTGRESQL -> on(PostgresServer.shared(18, Config.relaxed()).freshDatabase());
            case MARIADB -> on(MariaDbServer.shared(Config.relaxed()).freshDatabase());
            case REDIS -> Stores.builder(RedisServer.shared(Config.relaxed()).freshDatabase());
        };
    }

    private static StoreBuilder on(Database database) {
        return Stores.builder(database.url())
                .user(database.user(), database.password())
                .creatingSchema();
    }

    /** Opens it as another process would. The caller closes it. */
    public LeaseStore open() {
        return STARTED.computeIfAbsent(this, RealStore::start).open();
    }
}
