package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;

/** Settings of a database that break what Leasehold promises. Refused at the start, with the way out. */
final class StartChecks {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.jdbc");

    private StartChecks() {}

    /** Refuses settings under which a crash loses commits, unless the risk is accepted, and those that we cannot work under. */
    static void run(Connection connection, Dialect dialect, boolean isRiskAccepted) throws SQLException {
        if (!isRiskAccepted) {
            checkDurability(connection, dialect);
        }
        if (connection.isReadOnly()) {
            throw readOnly("its connections are set to read-only: change readOnly in the data source or URL");
        }
        if (dialect == Dialect.POSTGRESQL) {
            checkParameters(connection);
        }
    }

    private static void checkDurability(Connection connection, Dialect dialect) throws SQLException {
        switch (dialect) {
            case POSTGRESQL -> {
                if (ask(connection, "SHOW synchronous_commit").equals("off")) {
                    throw lostCommits("synchronous_commit is off", "SET synchronous_commit = on for this user");
                }
                if (ask(connection, "SHOW fsync").equals("off")) {
                    throw lostCommits("fsync is off", "fsync = on in postgresql.conf, and reload");
                }
            }
            case MYSQL -> {
                if (!ask(connection, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit")
                        .equals("1")) {
                    throw lostCommits(
                            "innodb_flush_log_at_trx_commit is not 1", "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
                }
            }
            case SQLITE -> {
                if (SqliteFile.of(connection).isPresent()) {
                    checkSqliteFile(connection);
                }
            }
            case H2 -> {
                // A database in memory has no path. With WRITE_DELAY=0, H2 may lose an update that meets a rollback.
                if (!ask(connection, "SELECT coalesce(DATABASE_PATH(), '')").isEmpty()) {
                    LOGGER.log(
                            System.Logger.Level.WARNING,
                            "Leases in a file of H2 save work, but only their fences are safe: H2 writes commits half a"
                                    + " second later, so a process that dies takes the last leases with it."
                                    + " Use SQLite for a file, or another database. JdbcLeaseStoreBuilder"
                                    + ".acceptingLostCommits() ends this warning.");
                }
            }
        }
    }

    private static void checkSqliteFile(Connection connection) throws SQLException {
        String level = ask(connection, "PRAGMA synchronous");
        String journal = ask(connection, "PRAGMA journal_mode").toUpperCase(Locale.ROOT);
        if (level.equals("0") || (level.equals("1") && journal.equals("WAL"))) {
            throw lostCommits(
                    "synchronous is " + (level.equals("0") ? "OFF" : "NORMAL with a write-ahead log"),
                    "PRAGMA synchronous = FULL");
        }
        if (journal.equals("OFF") || journal.equals("MEMORY")) {
            throw lostCommits("journal_mode is " + journal, "PRAGMA journal_mode = WAL");
        }
    }

    /**
     * A table of the user's: the column of the time is the one that every verb writes, the others are written by some.
     * Only PostgreSQL says here that it computes a column itself.
     */
    static void mappedTable(Connection connection, Dialect dialect, RowTable table) throws SQLException {
        tryOut(connection, dialect, "UPDATE", table.name, update(table.name, table.time.column()));
        for (String column : table.changed()) {
            String sql = update(table.name, column);
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate(sql);
            } catch (SQLException e) {
                if (SqlErrors.isDenied(e) || SqlErrors.isRefused(e, dialect)) {
                    throw new StoreException(
                            "The column " + column + " of " + table.name + " is mapped to be written, but cannot be: "
                                    + SqlErrors.withoutValues(e, dialect)
                                    + ". Grant the right UPDATE on it, or leave it out of the mapping.",
                            e);
                }
            }
        }
    }

    private static String update(String table, String column) {
        return "UPDATE " + table + " SET " + column + " = " + column + " WHERE 1 = 0";
    }

    /**
     * Sends a statement that would write to this table if there were a row to write. An error that says neither that the
     * database is read-only nor that a right is missing is left to the verbs.
     */
    private static void tryOut(Connection connection, Dialect dialect, String right, String table, String sql)
            throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        } catch (SQLException e) {
            if (SqlErrors.isDenied(e)) {
                throw denied(connection.getMetaData().getUserName(), right, table, e);
            }
            if (SqlErrors.isReadOnly(e, dialect)) {
                throw readOnly(
                        switch (dialect) {
                            case POSTGRESQL ->
                                "it is a standby, or default_transaction_read_only is on: use the primary, or SET"
                                        + " default_transaction_read_only = off for this user";
                            case MYSQL -> "read_only is on: use the primary, or SET GLOBAL read_only = 0";
                            case SQLITE ->
                                "the file was opened without the right to write: give this user the right to write the"
                                        + " file and its directory, and leave out mode=ro, open_mode and immutable";
                            case H2 -> "it was opened with ACCESS_MODE_DATA=r, or its file may not be written";
                        });
            }
        }
    }

    /** The types of our parameters must reach the server: two parameters of PostgreSQL's driver keep them back. */
    private static void checkParameters(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT count(*) FROM unnest(?) AS t WHERE ? IS NOT NULL")) {
            statement.setArray(1, connection.createArrayOf("text", new Object[] {"a"}));
            statement.setString(2, "a");
            statement.executeQuery().close();
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            if (state.equals("42P18")) {
                throw parameter("stringtype=unspecified", "leave it out", e);
            } else if (state.equals("42725")) {
                throw parameter("preferQueryMode=simple", "leave it out, or use preferQueryMode=extended", e);
            }
            throw e;
        }
    }

    private static StoreException parameter(String which, String fix, SQLException cause) {
        return new StoreException(
                "Leasehold's statements do not work with the driver's parameter " + which + ": " + fix
                        + ", or open the store with a URL or data source of its own.",
                cause);
    }

    private static StoreException readOnly(String why) {
        return new StoreException("This database is read-only, so no lease can be granted: " + why + ".");
    }

    private static StoreException denied(String user, String right, String table, SQLException cause) {
        return new StoreException(
                "The user " + user + " lacks the right " + right + " on the table " + table
                        + ", so no lease can be granted. Run as its owner: GRANT "
                        + (Schema.TABLES.contains(table) ? "SELECT, INSERT, UPDATE, DELETE" : right) + " ON " + table
                        + " TO " + user,
                cause);
    }

    /** Leasehold's own tables, which somebody may have made by hand. */
    static void ownTables(Connection connection, Dialect dialect) throws SQLException {
        tryOut(connection, dialect, "UPDATE", "leasehold_lease", update("leasehold_lease", "waited"));
        if (dialect == Dialect.POSTGRESQL || dialect == Dialect.MYSQL) {
            tryOut(connection, dialect, "UPDATE", "leasehold_line", update("leasehold_line", "until"));
            for (String table : List.of("leasehold_lease", "leasehold_line")) {
                String some = " (k) SELECT k FROM " + table + " WHERE 1 = 0";
                tryOut(connection, dialect, "INSERT", table, "INSERT INTO " + table + some);
                tryOut(connection, dialect, "DELETE", table, "DELETE FROM " + table + " WHERE 1 = 0");
            }
        }
        if (dialect == Dialect.MYSQL) {
            checkKeyColumn(connection);
        }
    }

    /** A text collation merges keys: case, blanks at the end, accents. */
    private static void checkKeyColumn(Connection connection) throws SQLException {
        String wrong = ask(
                connection,
                "SELECT concat(table_name, ' is ', data_type) FROM information_schema.columns"
                        + " WHERE table_schema = database() AND table_name IN ('leasehold_lease', 'leasehold_line')"
                        + " AND column_name = 'k' AND data_type <> 'varbinary'");
        if (!wrong.isEmpty()) {
            throw new StoreException("The key column of " + wrong + ", which merges keys that differ by case or blanks."
                    + " Run: ALTER TABLE leasehold_lease MODIFY k varbinary(512) NOT NULL;"
                    + " ALTER TABLE leasehold_line MODIFY k varbinary(512) NOT NULL");
        }
    }

    private static StoreException lostCommits(String what, String fix) {
        return new StoreException("A crash of this database may forget leases that were granted, because " + what
                + ". Change it (" + fix + "), or accept the risk with"
                + " JdbcLeaseStore.builder(source).acceptingLostCommits().");
    }

    private static String ask(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next() ? String.valueOf(rows.getString(1)) : "";
        }
    }
}
