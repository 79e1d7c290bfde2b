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
import javax.sql.DataSource;

/** Leasehold's tables: a script per dialect among the resources, with a version. */
final class Schema {
    /** The version that this code needs. */
    static final int VERSION = 1;

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

    static void create(DataSource source) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            Dialect dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
            for (String command : script(dialect).replaceAll("(?m)^--.*$", "").split(";", -1)) {
                if (!command.isBlank()) {
                    statement.execute(command);
                }
            }
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException e) {
            throw new StoreException("Leasehold's tables could not be created: " + e.getMessage(), e);
        }
    }

    /** How a program makes the tables. */
    static String advice(Dialect dialect) {
        return "Create them with JdbcLeaseStore.createSchema(dataSource), or run the script dev/leasehold/jdbc/"
                + dialect.schema + ".sql from the leasehold-jdbc jar.";
    }

    /** Refuses a database without our tables, or with another version of them, and says what to do. */
    static void check(Connection connection, Dialect dialect) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT max(version) FROM leasehold_schema")) {
            int version = rows.next() ? rows.getInt(1) : 0;
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
}
