package dev.leasehold.jdbc;

import dev.leasehold.store.StoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Settings of a database that break what Leasehold promises. Refused at the start, with the way out. */
final class StartChecks {
    private StartChecks() {}

    static void run(Connection connection, Dialect dialect, boolean isRiskAccepted) throws SQLException {
        switch (dialect) {
            case POSTGRESQL -> {
                if (!isRiskAccepted
                        && ask(connection, "SHOW synchronous_commit").equals("off")) {
                    throw lostCommits("synchronous_commit is off", "SET synchronous_commit = on for this user");
                }
            }
            case MYSQL -> {
                if (!isRiskAccepted
                        && !ask(connection, "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit")
                                .equals("1")) {
                    throw lostCommits(
                            "innodb_flush_log_at_trx_commit is not 1", "SET GLOBAL innodb_flush_log_at_trx_commit = 1");
                }
            }
            case SQLITE -> {
                if (!isRiskAccepted && ask(connection, "PRAGMA synchronous").equals("0")) {
                    throw lostCommits("synchronous is OFF", "PRAGMA synchronous = FULL");
                }
            }
            case H2 -> {}
        }
    }

    /** Leasehold's own tables, which somebody may have made by hand. */
    static void ownTables(Connection connection, Dialect dialect) throws SQLException {
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
