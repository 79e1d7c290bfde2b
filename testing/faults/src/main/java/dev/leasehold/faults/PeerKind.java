package dev.leasehold.faults;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Function;

/** Other libraries, and the store on which they are seen. */
enum PeerKind {
    SHEDLOCK("ShedLock", StoreKind.POSTGRESQL, ShedLockPeer.TABLE, url -> new ShedLockPeer(pool(url))),
    SPRING("Spring Integration", StoreKind.POSTGRESQL, SpringPeer.TABLE, url -> new SpringPeer(pool(url))),
    REDISSON("Redisson", StoreKind.REDIS, "", RedissonPeer::new);

    private static final int CONNECTIONS = 3;

    final String title;
    final StoreKind store;
    /** What must be there before it is opened; nothing if empty. */
    final String table;

    @SuppressWarnings("ImmutableEnumChecker") // Makes a new one each time.
    private final Function<String, Peer> opener;

    PeerKind(String title, StoreKind store, String table, Function<String, Peer> opener) {
        this.title = title;
        this.store = store;
        this.table = table;
        this.opener = opener;
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(Shift.TTL.toMillis());
        return new HikariDataSource(config);
    }

    Peer open(String url) {
        return opener.apply(url);
    }
}
