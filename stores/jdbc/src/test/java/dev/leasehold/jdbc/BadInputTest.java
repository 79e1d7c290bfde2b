package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.Settlement;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Bad input")
class BadInputTest {
    private static final List<String> NASTY = List.of(
            "'; DROP TABLE leasehold_lease; --",
            "' OR '1'='1",
            "\"; DELETE FROM leasehold_line; \"",
            "$1 :k ? {now} %s \\' \\\\ \u2019; #",
            "1 UNION SELECT * FROM leasehold_lease");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    @DisplayName("such as SQL in key, owner, fingerprint, prefix or payload is data")
    void sql(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
            LeaseRef bystander = Ask.take(store, Ask.key());
            for (String text : NASTY) {
                assertIsData(store, text);
            }
            assertThat(store.renew(List.of(bystander))).hasSize(1);
        }
    }

    private static void assertIsData(JdbcLeaseStore store, String text) {
        Key key = Key.of(text);
        AcquireRequest plain = Ask.of(key);
        AcquireRequest request =
                AcquireRequest.of(key, plain.nonce(), Owner.of(text), Ask.LONG).withFingerprint(text);
        LeaseRef lease = Ask.take(store, request);
        AcquireResult refusal = store.acquire(Ask.of(key).withFingerprint(text).inLineFor(Ask.LONG));
        assertThat(refusal)
                .isInstanceOfSatisfying(
                        AcquireResult.Held.class,
                        held -> assertThat(held.owner()).isEqualTo(Owner.of(text)));
        assertThat(store.list(ListRequest.of(text)).records())
                .extracting(LeaseSnapshot::key)
                .containsExactly(key);
        assertThat(store.renew(List.of(lease))).hasSize(1);
        store.settle(SettleRequest.of(lease, Settlement.checkpoint(Payload.of(text))));
        LeaseSnapshot found = store.find(key).orElseThrow();
        assertThat(Objects.requireNonNull(found.record().progress().payload()).text())
                .isEqualTo(text);
        store.release(ReleaseRequest.of(lease));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    @DisplayName("such as a database that becomes read-only is said so, with the cause, until it is so no more")
    void readOnly(Kind kind) throws SQLException {
        try (TestDatabase database = kind.fresh(directory)) {
            boolean[] isReadOnly = {false};
            DataSource source = Sessions.source(() -> {
                Connection connection = database.source().getConnection();
                if (isReadOnly[0]) {
                    makeReadOnly(connection, kind);
                }
                return connection;
            });
            try (JdbcLeaseStore store = JdbcLeaseStore.of(source)) {
                isReadOnly[0] = true; // As after a fail-over to a standby; at the start it would be refused.
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                        .withCauseInstanceOf(SQLException.class);
                isReadOnly[0] = false;
                assertThat(Ask.take(store, Ask.key())).isInstanceOf(LeaseRef.class);
            }
        }
    }

    private static void makeReadOnly(Connection connection, Kind kind) throws SQLException {
        switch (kind) {
            case POSTGRESQL -> Sessions.execute(connection, "SET default_transaction_read_only = on");
            case MARIADB -> Sessions.execute(connection, "SET SESSION TRANSACTION READ ONLY");
            case SQLITE -> Sessions.execute(connection, "PRAGMA query_only = 1");
            case H2 -> throw new IllegalArgumentException("H2 has no sessions that only read.");
        }
    }
}
