package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import dev.leasehold.wire.Listener;
import dev.leasehold.wire.WakeUps;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link JdbcLeaseStore} or {@link RowLeaseStore}. The defaults are right for nearly everybody. */
public final class JdbcLeaseStoreBuilder {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");

    private final DataSource source;
    private int connections = 4;
    private Duration callLimit = Duration.ofSeconds(5);
    private boolean isRiskAccepted;

    JdbcLeaseStoreBuilder(DataSource source) {
        this.source = source;
    }

    /**
     * How many connections the verbs share; default 4. One more is kept for renewals, and on PostgreSQL another waits
     * for wake-ups, from the first caller on that stands in line.
     */
    public JdbcLeaseStoreBuilder connections(int most) {
        this.connections = Lanes.checkMost(most);
        return this;
    }

    /** How long a call may take; default 5 s. The server ends statements a little earlier. */
    public JdbcLeaseStoreBuilder callLimit(Duration limit) {
        this.callLimit = Lanes.checkLimit(limit);
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
        Site site = visit((connection, dialect) -> {
            Schema.check(connection, dialect);
            StartChecks.ownTables(connection, dialect);
            return Optional.empty();
        });
        Database database = ready(new Database(site.dialect, lanes(site), spare(site), callLimit));
        WakeUps wakeUps = new WakeUps();
        @Nullable Listener listener = null;
        if (site.isPooled) {
            LOGGER.log(
                    System.Logger.Level.INFO,
                    "Something like pgbouncer stands before PostgreSQL, and nothing of a session can be relied on."
                            + " So the server sets no limits to Leasehold's statements, and callers in line poll more"
                            + " often instead of being woken.");
        } else if (site.dialect == Dialect.POSTGRESQL) {
            listener = new Listener(
                    "PostgreSQL", () -> new PostgresChannel(source, wakeUps.node(), callLimit), wakeUps, callLimit);
        }
        return new JdbcLeaseStore(
                site.name, database, new Statements(site.dialect), wakeUps, listener, callLimit.multipliedBy(2));
    }

    /**
     * Opens a store on rows of the user's own table. Leasehold's tables are not needed for it.
     *
     * @throws StoreException if the table lacks a column of the mapping or has one of a type that cannot serve, by name,
     *     or a setting breaks a promise
     */
    public RowLeaseStore onRows(RowMapping mapping) {
        RowMapping complete = mapping.complete();
        Site site = visit((connection, dialect) -> Optional.of(RowTable.find(connection, dialect, complete)));
        Database database = ready(new Database(
                site.dialect,
                lanes(site),
                spare(site),
                callLimit,
                error -> SqlErrors.translateOnRows(error, site.dialect, complete.tableName())));
        return new RowLeaseStore(
                site.name + ":" + complete.tableName(), database, site.table.orElseThrow(), callLimit.multipliedBy(2));
    }

    /** What there is to know of a database before the store is opened. */
    private record Site(Dialect dialect, String name, boolean isPooled, Optional<RowTable> table) {}

    /** Looks for the tables that the store needs. */
    private interface Survey {
        Optional<RowTable> look(Connection connection, Dialect dialect) throws SQLException;
    }

    private Site visit(Survey survey) {
        @Nullable Connection connection = null;
        try {
            connection = source.getConnection();
            Site site = visit(connection, survey);
            if (source instanceof UrlDataSource own) {
                own.keep(connection); // It is nobody else's, so it can be the first of the store's own.
                connection = null;
            }
            return site;
        } catch (SQLException e) {
            throw new StoreUnavailableException("The database could not be reached: " + e.getMessage(), e);
        } finally {
            close(connection);
        }
    }

    private Site visit(Connection connection, Survey survey) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        Dialect dialect = Dialect.of(product);
        Optional<RowTable> table = survey.look(connection, dialect);
        StartChecks.run(connection, dialect, isRiskAccepted);
        boolean isPooled = dialect == Dialect.POSTGRESQL && Pooler.isBetween(connection);
        return new Site(dialect, product.toLowerCase(Locale.ROOT), isPooled, table);
    }

    private static void close(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            LOGGER.log(System.Logger.Level.DEBUG, "Closing a connection failed", e);
        }
    }

    /**
     * Opens the connection for renewals if the source is the user's, whose other work may take all that there are.
     *
     * @throws StoreException if it cannot be had; nothing is left open then
     */
    private Database ready(Database database) {
        try {
            if (!(source instanceof UrlDataSource)) {
                database.prepare();
            }
            return database;
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
    }

    private LaneOpener opener(Site site) {
        boolean keepsZone = site.table.map(RowTable::needsLocalTime).orElse(false);
        return new LaneOpener(source, site.dialect, callLimit, site.isPooled, keepsZone);
    }

    private Lanes<Lane, SQLException> lanes(Site site) {
        // SQLite has one writer at a time: those who queue here are told when it is their turn, others look again.
        int most = site.dialect == Dialect.SQLITE ? 1 : connections;
        // MySQL writes its log for one commit after another: two batches at once would only be smaller ones.
        int mostForBatches = site.dialect == Dialect.MYSQL ? 1 : Math.max(1, most / 2);
        return new Lanes<>(opener(site), most, mostForBatches, callLimit);
    }

    private Lanes<Lane, SQLException> spare(Site site) {
        return new Lanes<>(opener(site), 1, 1, callLimit);
    }
}
