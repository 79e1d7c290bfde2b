package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@DisplayName("A call of many statements, none of which is too slow by itself")
class CallLimitTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);

    @TempDir
    private Path directory;

    private TestDatabase server;
    private Database database;

    private void open(Kind kind) {
        server = kind.fresh(directory);
        Dialect dialect = kind == Kind.POSTGRESQL ? Dialect.POSTGRESQL : Dialect.MYSQL;
        LaneOpener opener = new LaneOpener(server.source(), dialect, LIMIT, false, false, null);
        Lanes<Lane, SQLException> lanes = new Lanes<>(opener, 1, 1, LIMIT);
        database = new Database(dialect, lanes, lanes, LIMIT);
        database.prepare();
    }

    @AfterEach
    void close() {
        database.close();
        server.close();
    }

    private static boolean sleep(Lane lane, double seconds) throws SQLException {
        String function = lane.dialect == Dialect.POSTGRESQL ? "pg_sleep" : "sleep";
        lane.query(Sql.of("SELECT " + function + "(" + seconds + ")"), lane.parameters(), row -> true);
        return true;
    }

    private static boolean sleepOften(Lane lane) throws SQLException {
        for (int i = 0; i < 20; i++) {
            sleep(lane, 0.3);
        }
        return true;
    }

    private static Duration sinceThen(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A09 ends within its limit, and the next call has all its time again")
    void endsInTime(Kind kind) {
        open(kind);
        long start = System.nanoTime();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> database.run(CallLimitTest::sleepOften));
        assertThat(sinceThen(start)).isLessThan(LIMIT.multipliedBy(2));
        boolean isDone = database.run(lane -> sleep(lane, 0.6));
        assertThat(isDone).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("A09 ends within its limit although its work is done in several parts")
    void partsEndInTime(Kind kind) {
        open(kind);
        long start = System.nanoTime();
        Database call = database.forOneCall();
        assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> {
            for (int i = 0; i < 20; i++) {
                call.run(lane -> sleep(lane, 0.3));
            }
        });
        assertThat(sinceThen(start)).isLessThan(database.longestCall().plus(LIMIT.dividedBy(2)));
    }
}
