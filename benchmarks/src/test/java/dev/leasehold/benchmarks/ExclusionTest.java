package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Exclusion")
class ExclusionTest {
    private static final Effort SHORT =
            new Effort(1, Duration.ofMillis(100), Duration.ofMillis(1), Duration.ofMillis(1));

    @ParameterizedTest(name = "A lock that lets everybody in is caught in {0}")
    @EnumSource(names = {"W3", "W4"})
    void aLockThatLetsEverybodyInIsCaught(Cell cell) throws Exception {
        assertThat(race(cell, new OpenDoor()))
                .allSatisfy(row -> assertThat(row.overlaps()).isPositive());
    }

    @ParameterizedTest(name = "A lock that works is not accused in {0}")
    @EnumSource(names = "W3")
    void aLockThatWorksIsNotAccused(Cell cell) throws Exception {
        assertThat(race(cell, new OneAtATime()))
                .allSatisfy(row -> assertThat(row.overlaps()).isZero());
    }

    private static List<Row> race(Cell cell, Contestant contestant) throws Exception {
        try (Bed bed = StoreKind.SQLITE.open();
                Race race = new Race(cell, bed, 10, SHORT)) {
            return race.run(List.of(contestant));
        }
    }

    private static class OpenDoor implements Contestant {
        @Override
        public String name() {
            return "open-door";
        }

        @Override
        public boolean takesPart(Cell cell, StoreKind store) {
            return true;
        }

        @Override
        public void createTables(DataSource source, StoreKind store) {}

        @Override
        public String fill(StoreKind store) {
            return "";
        }

        @Override
        public Node open(DataSource source, StoreKind store, Cell cell) {
            return new Node() {
                @Override
                public Worker worker() {
                    return OpenDoor.this.worker();
                }

                @Override
                public void close() {}
            };
        }

        Worker worker() {
            return new Worker() {
                @Override
                public Optional<Hold> tryAcquire(String key) {
                    return Optional.of(() -> {});
                }

                @Override
                public Hold acquire(String key) {
                    return () -> {};
                }
            };
        }
    }

    private static final class OneAtATime extends OpenDoor {
        private final ReentrantLock lock = new ReentrantLock();

        @Override
        Worker worker() {
            return new Worker() {
                @Override
                public Optional<Hold> tryAcquire(String key) {
                    return lock.tryLock() ? Optional.of(lock::unlock) : Optional.empty();
                }

                @Override
                public Hold acquire(String key) {
                    lock.lock();
                    return lock::unlock;
                }
            };
        }
    }
}
