package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.wire.Lanes;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Work that collides with somebody else's")
class CollisionTest {
    private static Database database(Dialect dialect, Duration limit) {
        SqlSource source = (atMost, isServed, taker) -> new Lane(DriverManager.getConnection("jdbc:h2:mem:"), dialect);
        Lanes<Lane, SQLException> lanes = new Lanes<>(source, 1, 1, limit);
        return new Database(dialect, lanes, lanes, limit);
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, 40001, 0", "POSTGRESQL, 40P01, 0", "POSTGRESQL, 55P03, 0", "POSTGRESQL, 23505, 0",
        "MYSQL, 40001, 1213", "MYSQL, HY000, 1205", "MYSQL, HY000, 1020", "MYSQL, 23000, 1062",
        "SQLITE, , 5", "SQLITE, , 6", "SQLITE, , 517", "SQLITE, , 261",
        "H2, HYT00, 50200", "H2, 90131, 90131", "H2, 23505, 23505"
    })
    @DisplayName("A15 is done again, until it does not")
    void again(Dialect dialect, String state, int code) {
        AtomicInteger tries = new AtomicInteger();
        try (Database database = database(dialect, Duration.ofSeconds(10))) {
            String result = database.run(lane -> {
                if (tries.incrementAndGet() <= 5) {
                    throw new SQLException("collided", state, code);
                }
                return "done";
            });
            assertThat(result).isEqualTo("done");
        }
        assertThat(tries).hasValue(6);
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, 57014, 0", "MYSQL, 42000, 1064", "SQLITE, , 13", "H2, 42000, 42000"})
    @DisplayName("is told from work that fails for another reason, which is not done again")
    void notAgain(Dialect dialect, String state, int code) {
        AtomicInteger tries = new AtomicInteger();
        SQLException other = new SQLException("something else", state, code);
        try (Database database = database(dialect, Duration.ofSeconds(10))) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> database.run(lane -> {
                        tries.incrementAndGet();
                        throw other;
                    }))
                    .withCause(other);
        }
        assertThat(tries).hasValue(1);
    }

    @Test
    @DisplayName("all the time is given up in time, with the cause")
    void allTheTime() {
        SQLException deadlock = new SQLException("deadlock", "40P01");
        try (Database database = database(Dialect.POSTGRESQL, Duration.ofMillis(100))) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> database.run(lane -> {
                        throw deadlock;
                    }))
                    .withMessageContaining("100 ms")
                    .withCause(deadlock);
        }
    }
}
