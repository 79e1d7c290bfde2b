package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link JdbcLeaseStore}. The defaults are right for nearly everybody. */
public final class JdbcLeaseStoreBuilder {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final DataSource source;
    private int connections = 4;
    private Duration callLimit = Duration.ofSeconds(5);
    private boolean isRiskAccepted;

    JdbcLeaseStoreBuilder(DataSource source) {
        this.source = source;
    }

    /**
     * How many connections the verbs share; default 4. One more is kept for renewals, and on PostgreSQL another waits
     * for wake-ups.
     */
    public JdbcLeaseStoreBuilder connections(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("At least one connection is needed, not " + most + ".");
        }
        this.connections = most;
        return this;
    }

    /** How long a call may take; default 5 s. The server ends statements a little earlier. */
    public JdbcLeaseStoreBuilder callLimit(Duration limit) {
        if (limit.compareTo(Duration.ofMillis(100)) < 0) {
            throw new IllegalArgumentException("A call needs at least 100 ms, not " + limit + ".");
        }
        this.callLimit = limit;
        return this;
    }

    /**
     * Opens the store although a setting of the database breaks a promise: with {@code synchronous_commit=off}, for
     * one, a lease that was granted may be forgotten by a crash, and granted to somebody else.
     */
    public JdbcLeaseStoreBuilder acceptingLostCommits() {
        this.isRiskAccepted = true;
        return this;
    }

    /**
     * Opens the store.
     *
     * @throws StoreException if the tables are missing or of another version, or a setting breaks a promise
     */
    public JdbcLeaseStore open() {
        Dialect dialect;
        String product;
        boolean isPooled;
        try (Connection connection = source.getConnection()) {
            product = connection.getMetaData().getDatabaseProductName();
            dialect = Dialect.of(product);
            Schema.check(connection, dialect);
            StartChecks.run(connection, dialect, isRiskAccepted);
            isPooled = dialect == Dialect.POSTGRESQL && Pooler.isBetween(connection);
        } catch (SQLException e) {
            throw new StoreUnavailableException("The database could not be reached: " + e.getMessage(), e);
        }
        LaneOpener opener = new LaneOpener(source, dialect, callLimit, isPooled);
        Lanes lanes = new Lanes(opener, connections, callLimit);
        Database database = new Database(dialect, lanes, new Lanes(opener, 1, callLimit), callLimit);
        database.prepare();
        WakeUps wakeUps = new WakeUps(HexFormat.of().toHexDigits(RANDOM.nextLong()));
        @Nullable Listener listener = null;
        if (isPooled) {
            LOGGER.log(
                    System.Logger.Level.INFO,
                    "Something like pgbouncer stands before PostgreSQL, and nothing of a session can be relied on."
                            + " So the server sets no limits to Leasehold's statements, and callers in line poll more"
                            + " often instead of being woken.");
        } else if (dialect == Dialect.POSTGRESQL) {
            listener = Listener.start(source, wakeUps, callLimit);
        }
        return new JdbcLeaseStore(
                product.toLowerCase(Locale.ROOT),
                database,
                new Statements(dialect),
                wakeUps,
                listener,
                callLimit.multipliedBy(2));
    }
}
