package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A user of PostgreSQL who may use the tables and not create any")
class RightsTest {
    private static final Pattern GRANT = Pattern.compile("GRANT [^;]+");

    private final String user = "app_" + UUID.randomUUID().toString().replace("-", "");
    private TestDatabase database;
    private DataSource source;

    @BeforeEach
    void create() throws SQLException {
        database = TestDatabase.postgres(18);
        run("CREATE ROLE " + user + " LOGIN PASSWORD 'app'");
        run("REVOKE CREATE ON SCHEMA public FROM public");
        run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + user);
        source = new UrlDataSource(database.url(), user, "app");
    }

    @AfterEach
    void drop() throws SQLException {
        run("DROP OWNED BY " + user);
        run("DROP ROLE " + user);
        database.close();
    }

    private void run(String sql) throws SQLException {
        Sessions.execute(database.source(), sql);
    }

    private void assertOpens() {
        try (JdbcLeaseStore store = JdbcLeaseStore.of(source)) {
            assertThat(Ask.take(store, Ask.key())).isNotNull();
        }
    }

    @Test
    @DisplayName("may ask for the tables to be created when all of them are there")
    void createAgain() {
        JdbcLeaseStore.createSchema(source);
        assertOpens();
    }

    @ParameterizedTest
    @CsvSource({"leasehold_lease, 1", "leasehold_line, 1", "leasehold_history, 1", "none, 99"})
    @DisplayName("is refused that when a table is missing, or their version is another")
    void createInPart(String missing, int version) throws SQLException {
        run("DROP TABLE IF EXISTS " + missing);
        run("UPDATE leasehold_schema SET version = " + version);
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> JdbcLeaseStore.createSchema(source))
                .withMessageContaining("could not be created");
    }

    @ParameterizedTest
    @CsvSource({
        "leasehold_lease, INSERT",
        "leasehold_lease, UPDATE",
        "leasehold_lease, DELETE",
        "leasehold_line, INSERT",
        "leasehold_line, UPDATE",
        "leasehold_line, DELETE"
    })
    @DisplayName("is refused at the start if a right is missing, with the GRANT that gives it")
    void missingRight(String table, String right) throws SQLException {
        run("REVOKE " + right + " ON " + table + " FROM " + user);
        StoreException refusal = refusal(() -> JdbcLeaseStore.of(source).close());
        assertThat(refusal).isNotInstanceOf(StoreUnavailableException.class).hasMessageContainingAll(table, right);
        run(grantIn(refusal));
        assertOpens();
    }

    @Test
    @DisplayName("is refused at the start if it may not update its own mapped table, but not for other columns")
    void missingRightOnRows() throws SQLException {
        run("CREATE TABLE account (id bigint PRIMARY KEY, owner varchar(200), until timestamptz)");
        run("INSERT INTO account (id) VALUES (1)");
        run("GRANT SELECT ON account TO " + user);
        RowMapping rows = RowMapping.of("account").key("id").owner("owner").expiry("until");
        StoreException refusal =
                refusal(() -> JdbcLeaseStore.builder(source).onRows(rows).close());
        assertThat(refusal).isNotInstanceOf(StoreUnavailableException.class);
        assertThat(refusal).hasMessageContainingAll("account", "UPDATE");
        run("GRANT UPDATE (until) ON account TO " + user);
        assertThat(refusal(() -> JdbcLeaseStore.builder(source).onRows(rows).close()))
                .hasMessageContainingAll("account", "owner", "UPDATE");
        run("GRANT UPDATE (owner, until) ON account TO " + user);
        try (RowLeaseStore store = JdbcLeaseStore.builder(source).onRows(rows)) {
            assertThat(Ask.take(store, Ask.of(Key.of("1")))).isNotNull();
        }
    }

    private static StoreException refusal(Runnable opening) {
        try {
            opening.run();
        } catch (StoreException e) {
            return e;
        }
        throw new AssertionError("Not refused");
    }

    private static String grantIn(StoreException refusal) {
        Matcher grant = GRANT.matcher(Objects.requireNonNull(refusal.getMessage()));
        assertThat(grant.find()).as(refusal.getMessage()).isTrue();
        return grant.group();
    }
}
