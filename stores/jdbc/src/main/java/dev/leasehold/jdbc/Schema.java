package dev.leasehold.jdbc;

import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Leasehold's tables: a script per dialect among the resources, with a version. */
final class Schema {
    /** The version that this code needs. */
    static final int VERSION = 1;

    /** Of advisory locks, which all users of a database share: "lease-sc". */
    private static final long TURN = 0x6c656173652d7363L;

    static final List<String> TABLES =
            List.of("leasehold_lease", "leasehold_line", "leasehold_history", "leasehold_schema");

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private Schema() {}

    static String script(Dialect dialect) {
        String name = dialect.schema + ".sql";
        try (InputStream script = Schema.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("The resource dev/leasehold/jdbc/" + name + " is missing.");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates the tables. Many nodes may do so at once: they take turns, or try again. */
    static void create(DataSource source) {
        OwnThread.call(source, () -> createHere(source));
    }

    private static boolean createHere(DataSource source) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        @Nullable Dialect dialect = null;
        while (true) {
            try (Loan loan = Loan.from(source)) {
                loan.setAutoCommit(true);
                dialect = Dialect.of(loan.connection().getMetaData().getDatabaseProductName());
                createOrSee(loan, dialect);
                return true;
            } catch (SQLException e) {
                boolean mayPass = dialect != null && SqlErrors.isConflictOfDefinitions(e, dialect);
                if (!mayPass || System.nanoTime() - end > 0) {
                    throw new StoreException("Leasehold's tables could not be created: " + e.getMessage(), e);
                }
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(PAUSE.toNanos() / 4, PAUSE.toNanos()));
            }
        }
    }

    /** A user who may not create tables has nothing to create if all of them are there. */
    private static void createOrSee(Loan loan, Dialect dialect) throws SQLException {
        try {
            create(loan, dialect);
        } catch (SQLException e) {
            if (SqlErrors.isConflictOfDefinitions(e, dialect) || !isComplete(loan)) {
                throw e;
            }
        }
    }

    private static boolean isComplete(Loan loan) {
        try {
            for (String table : TABLES) {
                loan.execute("SELECT 1 FROM " + table + " WHERE 1 = 0");
            }
            return version(loan.connection()) == VERSION;
        } catch (SQLException e) {
            return false; // One is not there, or may not be read.
        }
    }

    private static void create(Loan loan, Dialect dialect) throws SQLException {
        Lane lane = new Lane(loan, dialect);
        switch (dialect) {
            case POSTGRESQL -> {
                // So that a statement sees what was committed before its turn came.
                loan.setIsolation(Connection.TRANSACTION_READ_COMMITTED);
                lane.atomically(within -> {
                    within.execute("SELECT pg_advisory_xact_lock(" + TURN + ")");
                    return run(within);
                });
            }
            case MYSQL -> {
                takeTurnOnMySql(loan);
                run(lane);
            }
            case SQLITE -> lane.atomically(Schema::run);
            case H2 -> run(lane);
        }
    }

    /** Locks of this kind belong to the server, so the name of the database is part of theirs. */
    private static void takeTurnOnMySql(Loan loan) throws SQLException {
        String name = "concat('leasehold ', md5(database()))";
        try (Statement statement = loan.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT get_lock(" + name + ", " + PATIENCE.toSeconds() + ")")) {
            if (!row.next() || row.getInt(1) != 1) {
                throw new SQLException("Another session was creating them for " + PATIENCE.toSeconds() + " s.");
            }
        }
        loan.undoBy(() -> loan.execute("SELECT release_lock(" + name + ")"));
    }

    private static boolean run(Lane lane) throws SQLException {
        for (String command : script(lane.dialect).replaceAll("(?m)^--.*$", "").split(";", -1)) {
            if (!command.isBlank()) {
                lane.execute(command);
            }
        }
        return true;
    }

    /** How a program makes the tables. */
    static String advice(Dialect dialect) {
        return "Create them with JdbcLeaseStore.createSchema(dataSource), or run the script dev/leasehold/jdbc/"
                + dialect.schema + ".sql from the leasehold-jdbc jar.";
    }

    /** Refuses a database without our tables, or with another version of them, and says what to do. */
    static void check(Connection connection, Dialect dialect) throws SQLException {
        try {
            int version = version(connection);
            if (version != VERSION) {
                throw new MissingSchemaException(
                        "Leasehold's tables in this database have version " + version + "; this library needs version "
                                + VERSION + ".",
                        advice(dialect),
                        null);
            }
        } catch (SQLException e) {
            throw SqlErrors.translate(e, dialect);
        }
    }

    private static int version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT max(version) FROM leasehold_schema")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }
}
