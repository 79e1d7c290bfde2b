package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Renewals on MariaDB, as the server plans them")
class RenewalPlanTest {
    private static TestDatabase database;

    @BeforeAll
    static void fill() throws SQLException {
        database = TestDatabase.mariaDb();
        Sessions.execute(
                database.source(),
                "INSERT INTO leasehold_lease (k, state, nonce, owner, fence, expiry, ttl, since, cooldown, attempts)"
                        + " SELECT concat('key', seq), 'H', lpad(seq, 32, '0'), 'o', seq, 1, 1, 1, 0, 1 FROM seq_1_to_20000");
        Sessions.execute(database.source(), "ANALYZE TABLE leasehold_lease");
    }

    @AfterAll
    static void drop() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 256})
    @DisplayName("read no more records than there are leases")
    void byIndex(int leases) throws SQLException {
        RenewingStatements statements = new RenewingStatements(Dialect.MYSQL);
        for (SqlOfSize sized : List.of(statements.renew, statements.renewed, statements.lock, statements.stillHeld)) {
            assertThat(rowsRead(sized.of(leases).text(), leases))
                    .as(sized.of(leases).text().substring(0, 60))
                    .isLessThanOrEqualTo(leases);
        }
    }

    /** What EXPLAIN says of the rows that the server reads for this statement. */
    private static long rowsRead(String text, int leases) throws SQLException {
        try (Connection connection = database.source().getConnection();
                PreparedStatement statement = connection.prepareStatement("EXPLAIN " + text)) {
            bind(statement, leases);
            try (ResultSet plan = statement.executeQuery()) {
                long rows = 0;
                while (plan.next()) {
                    rows += plan.getLong("rows");
                }
                return rows;
            }
        }
    }

    /** As {@link Renewing} binds them: the keys first if the statement names them twice. */
    private static void bind(PreparedStatement statement, int leases) throws SQLException {
        int places = statement.getParameterMetaData().getParameterCount();
        List<Object> values = new ArrayList<>();
        if (places == 4 * leases) {
            Stream.iterate(1, i -> i + 1).limit(leases).forEach(i -> values.add("key" + i));
        }
        for (int i = 1; i <= leases; i++) {
            values.add("key" + i);
            values.add(String.format("%032d", i));
            values.add((long) i);
        }
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(
                    i + 1,
                    values.get(i) instanceof String text && text.startsWith("key")
                            ? text.getBytes(java.nio.charset.StandardCharsets.UTF_8)
                            : values.get(i));
        }
    }
}
