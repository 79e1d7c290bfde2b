package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A fresh database, and how to reach it. Closing drops it. */
final class Bed implements AutoCloseable {
    private static final int FILL_STEP = 100_000;

    final StoreKind store;
    final String url;
    /** Nobody, where the database has no users. */
    final String user;

    final String password;
    private final DataSource source;
    private final Runnable end;

    Bed(StoreKind store, String url, String user, String password, Runnable end) {
        this.store = store;
        this.url = url;
        this.user = user;
        this.password = password;
        this.source =
                user.isEmpty() ? new DriverManagerDataSource(url) : new DriverManagerDataSource(url, user, password);
        this.end = end;
    }

    /** A new connection each time. Whoever wants a pool makes one of this. */
    DataSource source() {
        return source;
    }

    /** Makes so many free records of a contestant's, by bulk insert. */
    void fill(Contestant.Grows contestant, int records) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            if (store == StoreKind.MARIADB) {
                statement.execute("SET SESSION max_recursive_iterations = " + FILL_STEP);
            }
            for (int from = 0; from < records; from += FILL_STEP) {
                int to = Math.min(records, from + FILL_STEP) - 1;
                String numbers = "WITH RECURSIVE s (i) AS (SELECT " + from + " UNION ALL SELECT i + 1 FROM s WHERE i < "
                        + to + ")";
                statement.execute(contestant.fill(store).replace("{s}", numbers));
            }
            if (store == StoreKind.POSTGRES) {
                statement.execute("VACUUM ANALYZE");
                statement.execute("CHECKPOINT");
            }
        }
    }

    @Override
    public void close() {
        end.run();
    }
}
