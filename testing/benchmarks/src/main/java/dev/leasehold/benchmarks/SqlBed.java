package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A database that speaks SQL. */
final class SqlBed extends Bed {
    private static final int FILL_STEP = 100_000;

    private final DataSource source;

    SqlBed(StoreKind store, String url, String user, String password, Runnable end) {
        this(
                store,
                url,
                user,
                password,
                user.isEmpty() ? new DriverManagerDataSource(url) : new DriverManagerDataSource(url, user, password),
                end);
    }

    private SqlBed(StoreKind store, String url, String user, String password, DataSource source, Runnable end) {
        super(store, url, user, password, end);
        this.source = source;
    }

    @Override
    DataSource source() {
        return source;
    }

    @Override
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

    private record Way(Bed bed, CountingSource source) implements CountedWay {
        @Override
        public long count() {
            return source.count();
        }
    }

    @Override
    CountedWay counted() {
        CountingSource counting = new CountingSource(source, store);
        return new Way(new SqlBed(store, url, user, password, counting, () -> {}), counting);
    }
}
