package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.once.Name;
import dev.leasehold.once.NameClaim;
import dev.leasehold.once.NamePolicy;
import dev.leasehold.once.Subject;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.Key;
import dev.leasehold.store.SettleResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A name that is confirmed within the transaction that makes its record")
class NameInTransactionTest extends EffectCase {
    private static final Name NAME = Name.of(Key.of("mocs", "owner-7"), "My Castle!", NamePolicy.slug());
    private static final Subject MINE = Subject.of("moc-1");

    private Leasehold leasehold;
    private UniqueNames names;

    @Override
    void open(Kind kind) throws SQLException {
        super.open(kind);
        leasehold = Leasehold.on(store);
        names = leasehold.names();
    }

    @AfterEach
    void close() {
        leasehold.close();
    }

    private NameClaim.Won claim(Subject subject) {
        return (NameClaim.Won) names.claim(NAME, subject, Duration.ofMinutes(5));
    }

    private SettleResult create(Connection connection, NameClaim.Won claim) throws SQLException {
        write(connection, claim.fence());
        return store.settle(connection, claim.confirming());
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("has its record if that commits")
    void commit(Kind kind) throws SQLException {
        open(kind);
        NameClaim.Won claim = claim(MINE);
        try (Connection connection = Sessions.begin(database.source())) {
            assertThat(create(connection, claim)).isEqualTo(SettleResult.SETTLED);
            connection.commit();
        }
        assertThat(effects()).isEqualTo("1");
        assertThat(names.claim(NAME, Subject.of("moc-2"), Duration.ofMinutes(5)))
                .isInstanceOfSatisfying(NameClaim.Taken.class, taken -> {
                    assertThat(taken.holder()).isEqualTo(MINE);
                    assertThat(taken.isPending()).isFalse();
                });
    }

    @ParameterizedTest
    @EnumSource
    @Tag("part-of:FINALIZE-6")
    @DisplayName("is still pending and has no record if that rolls back, so that the subject can try again")
    void rollback(Kind kind) throws SQLException {
        open(kind);
        try (Connection connection = Sessions.begin(database.source())) {
            create(connection, claim(MINE));
            connection.rollback();
        }
        assertThat(effects()).isEqualTo("0");
        assertThat(claim(MINE).isConfirmed()).isFalse();
        assertThat(claim(MINE).abandon()).isTrue();
        assertThat(claim(Subject.of("moc-2")).confirm()).isTrue();
    }
}
