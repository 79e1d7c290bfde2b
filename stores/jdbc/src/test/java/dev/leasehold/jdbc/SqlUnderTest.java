package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.Threads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** A database under the contract. Its clock cannot be moved, so what is stored is moved instead. */
final class SqlUnderTest implements StoreUnderTest {
    private final DataSource source;
    private final StoreTraits traits;

    SqlUnderTest(DataSource source, StoreTraits traits) {
        this.source = source;
        this.traits = traits;
    }

    @Override
    public StoreTraits traits() {
        return traits;
    }

    @Override
    public LeaseStore open() {
        return JdbcLeaseStore.of(source);
    }

    @Override
    public void lose(Key key) throws SQLException {
        try (Connection connection = source.getConnection()) {
            Dialect dialect = Dialect.of(connection.getMetaData().getDatabaseProductName());
            for (String table : new String[] {"leasehold_lease", "leasehold_line"}) {
                Sql sql = Sql.of("DELETE FROM " + table + " WHERE k = :k");
                new Lane(connection, dialect).update(sql, new Parameters(dialect).key("k", key));
            }
        }
    }

    /** Fences that a test has seen are not moved, and the next must be larger: so the clock itself ticks, too. */
    @Override
    public void elapse(Duration time) throws SQLException {
        move(-Micros.of(time));
        Threads.pause(traits.tick());
    }

    @Override
    public void setBack(Duration by) throws SQLException {
        move(Micros.of(by));
    }

    private void move(long micros) throws SQLException {
        try (Connection connection = source.getConnection()) {
            update(
                    connection,
                    "UPDATE leasehold_lease SET expiry = expiry + ?, since = since + ?,"
                            + " fence = CASE WHEN state = 'F' THEN fence + ? ELSE fence END",
                    micros,
                    3);
            update(connection, "UPDATE leasehold_history SET happened = happened + ?", micros, 1);
            update(connection, "UPDATE leasehold_line SET since = since + ?, until = until + ?", micros, 2);
        }
    }

    private static void update(Connection connection, String sql, long micros, int parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 1; i <= parameters; i++) {
                statement.setLong(i, micros);
            }
            statement.executeUpdate();
        }
    }
}
