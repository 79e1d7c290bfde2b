package dev.leasehold.jdbc;

import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Cell;
import dev.leasehold.tck.interleaving.InterleavingContract;
import dev.leasehold.tck.interleaving.Matrix;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The isolation that a user's pool gives its connections makes no difference to the store's verbs. */
@Tag("slow")
@DisplayName("Interleavings on a pool that defaults to")
@ParameterizedClass(name = "{0}")
@EnumSource(PoolInterleavingTest.Defaults.class)
class PoolInterleavingTest extends InterleavingContract {
    private static TestDatabase postgres;
    private static TestDatabase mariaDb;

    @Parameter
    private Defaults defaults;

    /** What a connection is when the pool lends it. Autocommit is off. */
    enum Defaults {
        POSTGRESQL_REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        POSTGRESQL_SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE),
        MARIADB_REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        MARIADB_SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

        private final int isolation;

        Defaults(int isolation) {
            this.isolation = isolation;
        }

        private DataSource pool(DataSource source) {
            return Sessions.source(() -> {
                Connection connection = Sessions.begin(source);
                connection.setTransactionIsolation(isolation);
                return connection;
            });
        }
    }

    @BeforeAll
    static void open() {
        postgres = TestDatabase.postgres(18);
        mariaDb = TestDatabase.mariaDb();
    }

    @AfterAll
    static void close() {
        postgres.close();
        mariaDb.close();
    }

    @Override
    protected Arena arena(Duration callLimit) {
        TestDatabase database = defaults.name().startsWith("POSTGRESQL") ? postgres : mariaDb;
        return SqlArena.on(database, callLimit, defaults::pool);
    }

    @Override
    protected List<Cell> cells() {
        return Matrix.sample(super.cells(), 300);
    }
}
