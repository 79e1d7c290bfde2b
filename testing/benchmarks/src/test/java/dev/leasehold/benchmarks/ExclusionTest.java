package dev.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Exclusion")
class ExclusionTest {
    private static final Effort SHORT = Effort.of(1, 0.1);

    @Test
    @DisplayName("A lock that lets everybody in is caught in W3")
    void aLockThatLetsEverybodyInIsCaughtInTurn() throws Exception {
        assertThat(race(Event.IN_TURN, Cell.W3, new OpenDoor())).allMatch(Row::hasOverlaps);
    }

    @Test
    @DisplayName("A lock that lets everybody in is caught in W4")
    void aLockThatLetsEverybodyInIsCaughtSkipping() throws Exception {
        assertThat(race(Event.SKIP, Cell.W4, new OpenDoor())).allMatch(Row::hasOverlaps);
    }

    @Test
    @DisplayName("A lock that works is not accused in W3")
    void aLockThatWorksIsNotAccused() throws Exception {
        assertThat(race(Event.IN_TURN, Cell.W3, new OneAtATime())).noneMatch(Row::hasOverlaps);
    }

    @Test
    @DisplayName("A lock that lets everybody in is caught in W3a")
    void aLockThatLetsEverybodyInIsCaughtAmongThreads() throws Exception {
        assertThat(race(Event.ofOneClient(Cell.W3A_16_BUSY), Cell.W3A_16_BUSY, new OpenDoor()))
                .allMatch(Row::hasOverlaps);
    }

    @Test
    @DisplayName("A lock that works is not accused in W3a, and its gaps and turns are told")
    void aLockThatWorksIsNotAccusedAmongThreads() throws Exception {
        Row row = race(Event.ofOneClient(Cell.W3A_16), Cell.W3A_16, new OneAtATime())
                .get(0);
        assertThat(row.hasOverlaps()).isFalse();
        assertThat(row.get(Column.TURNS).doubleValue()).isPositive();
        assertThat(row.get(Column.VS_ALONE).doubleValue()).isPositive();
        assertThat(row.get(Column.LONGEST_GAP).doubleValue()).isPositive();
        assertThat(row.get(Column.TIMEOUTS)).isEqualTo(0L);
    }

    @Test
    @DisplayName("A call that gives up waiting is counted in W3a, and is no turn")
    void aCallThatGivesUpIsCounted() throws Exception {
        Work<Worker.Waiter> work = new Work.InTurn("any", Duration.ZERO);
        Samples samples = new Samples();
        work.once(
                key -> {
                    throw new TimeoutException();
                },
                0,
                samples);
        assertThat(samples.timeouts()).isOne();
        assertThat(samples.count()).isZero();
    }

    @Test
    @DisplayName("Another key's answer is caught in W6, the first time already")
    void anotherKeysAnswerIsCaught() throws Exception {
        Work<Worker.Runner> work = Work.Run.first("any");

        work.once(key -> key, 0, new Samples());
        assertThat(work.exclusion.overlaps()).isZero();

        work.once(key -> "another", 0, new Samples());
        assertThat(work.exclusion.overlaps()).isOne();
    }

    private static <C extends Contestant, W extends Worker> List<Row> race(Event<C, W> event, Cell cell, C contestant)
            throws Exception {
        try (Bed bed = StoreKind.SQLITE.open();
                Race<C, W> race = new Race<>(event, cell, bed, 10, SHORT)) {
            List<Row> rows = race.run(List.of(contestant));
            assertThat(rows).hasSize(1);
            return rows;
        }
    }

    private static final class OpenDoor implements Contestant.Locks, Contestant.Queues {
        @Override
        public String name() {
            return "open-door";
        }

        @Override
        public Node<Worker.Locker> locking(Bed bed, Cell cell) {
            return new Node<>(() -> key -> Optional.of(() -> {}));
        }

        @Override
        public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
            return new Node<>(() -> key -> () -> {});
        }
    }

    private static final class OneAtATime implements Contestant.Queues {
        private final ReentrantLock lock = new ReentrantLock();

        @Override
        public String name() {
            return "one-at-a-time";
        }

        @Override
        public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
            return new Node<>(() -> key -> {
                lock.lock();
                return lock::unlock;
            });
        }
    }
}
