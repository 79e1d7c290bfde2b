package dev.leasehold.jdbc;

import dev.leasehold.wire.Openings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens the store's connections and makes them ready: autocommit and READ COMMITTED, whatever the pool's defaults are,
 * and limits on the server's side that are shorter than ours, so that a statement or transaction whose client has died
 * ends by itself. A connection of the user's source goes back with the settings it had; see {@link Loan}.
 */
final class LaneOpener implements SqlSource {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");

    private final DataSource source;
    private final Dialect dialect;
    private final Duration callLimit;
    private final boolean isPooled;
    private final boolean keepsZone;
    private final @Nullable Path file;
    private final Openings<Lane> openings = new Openings<>(this::connect);

    /** @param file the database file, on SQLite */
    LaneOpener(
            DataSource source,
            Dialect dialect,
            Duration callLimit,
            boolean isPooled,
            boolean keepsZone,
            @Nullable Path file) {
        this.source = source;
        this.dialect = dialect;
        this.callLimit = callLimit;
        this.isPooled = isPooled;
        this.keepsZone = keepsZone;
        this.file = file;
    }

    @Override
    public @Nullable Lane open(Duration atMost, BooleanSupplier isServed, Consumer<Optional<Lane>> taker)
            throws SQLException {
        try {
            return openings.open(atMost, isServed, taker).orElse(null);
        } catch (TimeoutException e) {
            throw new SQLTimeoutException(
                    "No connection could be had within " + callLimit.toMillis() + " ms.", "08001", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SQLException cause ? cause : new SQLException(e.getCause());
        }
    }

    @Override
    public void close() {
        openings.close();
        if (source instanceof UrlDataSource own) {
            try {
                own.close();
            } catch (SQLException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "Closing an unused connection failed", e);
            }
        }
    }

    private Lane connect() throws SQLException {
        if (file != null) {
            SqliteFile.checkExists(file); // The driver would make an empty one.
        }
        Loan loan = Loan.from(source);
        boolean isReady = false;
        try {
            loan.setAutoCommit(true);
            if (dialect == Dialect.POSTGRESQL || dialect == Dialect.MYSQL) {
                // A server that hangs, or is cut off, must not hold up a call for longer than this.
                loan.setNetworkTimeout((int) callLimit.toMillis());
            }
            if (isPooled) {
                // A setting made here would stay with a server connection that others use after us.
                Pooler.prepare(loan);
            } else {
                if (dialect != Dialect.SQLITE) {
                    loan.setIsolation(Connection.TRANSACTION_READ_COMMITTED);
                }
                loan.greet(dialect, greeting());
            }
            Lane lane = new Lane(loan, dialect, habits(loan));
            loan.undoBy(lane::closeStatements);
            isReady = true;
            return lane;
        } finally {
            if (!isReady) {
                loan.close();
            }
        }
    }

    private Lane.Habits habits(Loan loan) throws SQLException {
        if (file != null) {
            SqliteFile.Identity opened = SqliteFile.Identity.of(file);
            return new Lane.Habits(opened::check, () -> {}, patience(loan));
        }
        if (isPooled) {
            // For this transaction only, and so also where nothing may be set for a session.
            String limits = withLimits("SET LOCAL idle_in_transaction_session_timeout = {call};"
                    + " SET LOCAL statement_timeout = {call}; SET LOCAL lock_timeout = {lock}");
            return new Lane.Habits(() -> {}, () -> loan.execute(limits), patience(loan));
        }
        return new Lane.Habits(() -> {}, () -> {}, patience(loan));
    }

    private Lane.Patience patience(Loan loan) {
        return switch (dialect) {
            case POSTGRESQL, MYSQL ->
                new Lane.Patience(
                        callLimit.toMillis(), millis -> loan.connection().setNetworkTimeout(Runnable::run, millis));
            case SQLITE -> new Lane.Patience(lockMillis(), millis -> loan.execute("PRAGMA busy_timeout = " + millis));
            case H2 -> Lane.Patience.ENDLESS;
        };
    }

    private long lockMillis() {
        return callLimit.toMillis() * 6 / 10;
    }

    private List<String> greeting() {
        return (keepsZone ? dialect.greetingInLocalTime() : dialect.greeting())
                .stream().map(this::withLimits).toList();
    }

    private String withLimits(String command) {
        long call = callLimit.toMillis() * 9 / 10;
        return command.replace("{call}", Long.toString(call))
                .replace("{lock}", Long.toString(lockMillis()))
                .replace("{callSeconds}", Double.toString(call / 1_000.0))
                .replace("{idleSeconds}", Long.toString(Math.max(1, (call + 999) / 1_000)));
    }
}
