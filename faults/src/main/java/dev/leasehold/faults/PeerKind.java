package dev.leasehold.faults;

import com.zaxxer.hikari.HikariDataSource;
import java.util.function.Function;

/** Other libraries that keep locks in a database. */
enum PeerKind {
    SHEDLOCK("ShedLock", ShedLockPeer.TABLE, ShedLockPeer::new),
    SPRING("Spring Integration", SpringPeer.TABLE, SpringPeer::new);

    final String title;
    final String table;

    @SuppressWarnings("ImmutableEnumChecker") // Makes a new one each time.
    private final Function<HikariDataSource, Peer> opener;

    PeerKind(String title, String table, Function<HikariDataSource, Peer> opener) {
        this.title = title;
        this.table = table;
        this.opener = opener;
    }

    Peer open(HikariDataSource pool) {
        return opener.apply(pool);
    }
}
