package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import dev.leasehold.wire.Listener;
import dev.leasehold.wire.WakeUps;
import java.nio.file.Path;
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

    /** What the verbs share of the user's pool, whose other connections are for the application. */
    private static final int OF_THE_USERS = 2;

    private static final int OF_OUR_OWN = 4;

    private final DataSource source;
    private int connections;
    private Duration callLimit = Duration.ofSeconds(5);
    private boolean isRiskAccepted;
    private boolean waitsForReleases;

    JdbcLeaseStoreBuilder(DataSource source) {
        this.source = source;
        this.connections = isOurs() ? OF_OUR_OWN : OF_THE_USERS;
    }

    private boolean isOurs() {
        return source instanceof UrlDataSource;
    }

    /**
     * How many connections the verbs share: by default 2 of a data source, or 4 if the store is opened by URL. One more
     * is kept for renewals. On PostgreSQL another waits for wake-ups, from the first caller on that stands in line. So a
     * store holds up to 4 connections of the user's pool by default, and the pool needs more than that.
     *
     * <p>The store keeps these connections until it is closed, however long that is. A pool that warns of connections
     * which are not returned (HikariCP's {@code leakDetectionThreshold}) warns of them; its {@code maxLifetime} applies
     * to them only after they have been returned. They go back with the settings they had.
     */
    public JdbcLeaseStoreBuilder connections(int most) {
        this.connections = Lanes.checkMost(most);
        return this;
    }

    /**
     * Limits a call's wait for a connection, and then the time of all its statements together; default 5 s each. The
     * server ends a statement a little earlier.
     */
    public JdbcLeaseStoreBuilder callLimit(Duration limit) {
        this.callLimit = Lanes.checkLimit(limit);
        return this;
    }

    /**
     * Opens the store although a crash of the database, or of its machine, may forget a lease that was granted, and grant
     * it to another caller. Without this, such settings are refused: {@code synchronous_commit=off} and {@code fsync=off}
     * on PostgreSQL; {@code innodb_flush_log_at_trx_commit} other than 1 on MySQL and MariaDB; {@code synchronous=OFF},
     * {@code synchronous=NORMAL} with a write-ahead log, {@code journal_mode=OFF} and {@code journal_mode=MEMORY} on a file
     * of SQLite. A file of H2, which is always written later, is opened with a warning that this ends.
     */
    public JdbcLeaseStoreBuilder acceptingLostCommits() {
        this.isRiskAccepted = true;
        return this;
    }

    /**
     * Lets a release of a row of the user's wait until it is on the disk. By default a plain release on PostgreSQL does not:
     * if the server crashes within the next moment, it may forget the release, and the row stays locked until its lease
     * expires. Grants, renewals and settlements always wait.
     */
    public JdbcLeaseStoreBuilder waitingForReleases() {
        this.waitsForReleases = true;
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
                    "A connection pooler such as pgbouncer is between Leasehold and PostgreSQL, so Leasehold sets nothing on"
                            + " the session: a call waits for a locked record until the call limit, and callers in line"
                            + " poll instead of being woken.");
        } else if (site.dialect == Dialect.POSTGRESQL) {
            listener = new Listener(
                    "PostgreSQL", () -> new PostgresChannel(source, wakeUps.node(), callLimit), wakeUps, callLimit);
        }
        tell(site, listener != null);
        return new JdbcLeaseStore(site.name, database, new Statements(site.dialect), wakeUps, listener);
    }

    /**
     * Opens a store on rows of the user's own table. Leasehold's tables are not needed for it.
     *
     * @throws StoreException if the table lacks a column of the mapping or has one of a type that cannot serve, by name,
     *     or a setting breaks a promise
     */
    public RowLeaseStore onRows(RowMapping mapping) {
        RowMapping complete = mapping.complete();
        Site site = visit((connection, dialect) -> {
            RowTable table = RowTable.find(connection, dialect, complete);
            StartChecks.mappedTable(connection, dialect, table);
            return Optional.of(table);
        });
        Database database = ready(new Database(
                site.dialect,
                lanes(site),
                spare(site),
                callLimit,
                error -> SqlErrors.translateOnRows(error, site.dialect, complete.tableName())));
        tell(site, false);
        return new RowLeaseStore(
                site.name + ":" + complete.tableName(), database, site.table.orElseThrow(), waitsForReleases);
    }

    /** What there is to know of a database before the store is opened. */
    private record Site(
            Dialect dialect,
            String name,
            boolean isPooled,
            Optional<RowTable> table,
            @Nullable Path file) {}

    /** Looks for the tables that the store needs. */
    private interface Survey {
        Optional<RowTable> look(Connection connection, Dialect dialect) throws SQLException;
    }

    /** Looks at the database. */
    private Site visit(Survey survey) {
        return OwnThread.call(source, () -> visitHere(survey));
    }

    private Site visitHere(Survey survey) {
        try {
            Loan loan = Loan.from(source);
            boolean isKept = false;
            try {
                loan.setAutoCommit(true);
                Site site = visit(loan.connection(), survey);
                if (source instanceof UrlDataSource own) {
                    own.keep(loan.connection()); // Nobody else uses it, so it can be the first of the store's own.
                    isKept = true;
                }
                return site;
            } finally {
                if (!isKept) {
                    loan.close();
                }
            }
        } catch (SQLException e) {
            throw new StoreUnavailableException("The database could not be reached: " + e.getMessage(), e);
        }
    }

    private Site visit(Connection connection, Survey survey) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        Dialect dialect = Dialect.of(product);
        Optional<RowTable> table = survey.look(connection, dialect);
        StartChecks.run(connection, dialect, isRiskAccepted);
        boolean isPooled = dialect == Dialect.POSTGRESQL && Pooler.isBetween(connection);
        @Nullable
        Path file = dialect == Dialect.SQLITE ? SqliteFile.of(connection).orElse(null) : null;
        return new Site(dialect, product.toLowerCase(Locale.ROOT), isPooled, table, file);
    }

    /**
     * Opens the connection for renewals if the source is the user's, whose other work may take all that there are.
     *
     * @throws StoreException if it cannot be had; nothing is left open then
     */
    private Database ready(Database database) {
        try {
            if (!isOurs()) {
                database.prepare();
            }
            return database;
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
    }

    private void tell(Site site, boolean isTold) {
        if (!isOurs()) {
            LOGGER.log(
                    System.Logger.Level.INFO,
                    "Leasehold keeps up to {0} connections of the data source while the store is open: {1} for calls,"
                            + " 1 for renewals{2}. Change this with JdbcLeaseStoreBuilder.connections(n).",
                    most(site) + (isTold ? 2 : 1),
                    most(site),
                    isTold ? ", 1 for wake-ups" : "");
        }
    }

    /** How many connections the verbs share. SQLite has one writer: a call that queues here is told of its turn. */
    private int most(Site site) {
        return site.dialect == Dialect.SQLITE ? 1 : connections;
    }

    private LaneOpener opener(Site site) {
        boolean keepsZone = site.table.map(RowTable::needsLocalTime).orElse(false);
        return new LaneOpener(source, site.dialect, callLimit, site.isPooled, keepsZone, site.file);
    }

    private Lanes<Lane, SQLException> lanes(Site site) {
        int most = most(site);
        // MySQL writes its log for one commit after another: two batches at once would only be smaller ones.
        int mostForBatches = site.dialect == Dialect.MYSQL ? 1 : Math.max(1, most / 2);
        return new Lanes<>(opener(site), most, mostForBatches, callLimit);
    }

    private Lanes<Lane, SQLException> spare(Site site) {
        return new Lanes<>(opener(site), 1, 1, callLimit);
    }
}
