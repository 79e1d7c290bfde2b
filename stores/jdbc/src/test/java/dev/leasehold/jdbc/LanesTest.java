package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.Threads;
import dev.leasehold.wire.Lanes;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Calls share a few lanes to the database")
class LanesTest {
    private final SQLException broken = new SQLException("The connection broke.", "08006");

    private final Queue<Connection> opened = new ConcurrentLinkedQueue<>();
    private final SqlSource source = (atMost, isServed, taker) -> open();
    private final Lanes<Lane, SQLException> lanes = new Lanes<>(source, 2, 1, Duration.ofSeconds(10));
    private final Doubling doubling = new Doubling();

    private Lane open() throws SQLException {
        Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
        opened.add(connection);
        return new Lane(connection, Dialect.H2);
    }

    @AfterEach
    void close() throws SQLException {
        lanes.close();
        for (Connection connection : opened) {
            assertThat(connection.isClosed()).as("closed with the lanes").isTrue();
        }
    }

    /** Has the database double numbers, and counts how many statements that takes. */
    private static final class Doubling implements SqlBatch<Integer, Integer> {
        private final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        private final Queue<List<Integer>> asked = new ConcurrentLinkedQueue<>();
        private volatile Optional<SQLException> failure = Optional.empty();
        private volatile int unanswered = -1;

        @Override
        public Object key(Integer number) {
            return number;
        }

        @Override
        public Integer alone(Lane lane, Integer number) throws SQLException {
            return ask(lane, List.of(number)).get(0);
        }

        @Override
        public List<Optional<Integer>> together(Lane lane, List<Integer> numbers) throws SQLException {
            List<Integer> answers = ask(lane, numbers);
            List<Optional<Integer>> told = new ArrayList<>();
            for (int i = 0; i < numbers.size(); i++) {
                told.add(numbers.get(i) == unanswered ? Optional.empty() : Optional.of(answers.get(i)));
            }
            return told;
        }

        private List<Integer> ask(Lane lane, List<Integer> numbers) throws SQLException {
            if (failure.isPresent()) {
                throw failure.get();
            }
            sizes.add(numbers.size());
            asked.add(List.copyOf(numbers));
            String columns = numbers.toString().replaceAll("[\\[\\]]", "").replaceAll("(\\d+)", "2 * $1");
            String text = "SELECT " + columns;
            return lane.query(Sql.of(text), lane.parameters(), row -> {
                        List<Integer> answers = new ArrayList<>();
                        for (int i = 1; i <= numbers.size(); i++) {
                            answers.add(row.getInt(i));
                        }
                        return answers;
                    })
                    .get(0);
        }
    }

    /** Keeps all lanes busy, lets the callers queue, and lets go. */
    private <T> List<Threads.Running<T>> queued(int callers, Caller<T> caller) throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<Threads.Running<String>> busy = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            busy.add(Threads.start(() -> lanes.run(lane -> await(end))));
        }
        Threads.eventually("both lanes are busy", () -> busy.stream().allMatch(Threads.Running::isWaiting));
        List<Threads.Running<T>> running = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            int number = i;
            running.add(Threads.start(() -> caller.call(number)));
        }
        Threads.eventually("all queue", () -> running.stream().allMatch(Threads.Running::isWaiting));
        end.countDown();
        busy.forEach(LanesTest::finish);
        return running;
    }

    private interface Caller<T> {
        T call(int number) throws Exception;
    }

    private static String await(CountDownLatch latch) {
        try {
            latch.await();
            return "done";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("one that finds a lane free goes alone, and the lane is used again")
    void alone() throws SQLException {
        for (int i = 0; i < 5; i++) {
            assertThat(lanes.run(doubling, i)).isEqualTo(2 * i);
        }
        assertThat(doubling.sizes).containsExactly(1, 1, 1, 1, 1);
        assertThat(opened).hasSize(1);
    }

    @Test
    @DisplayName("64 that queue go in few statements, and each gets its own answer")
    void together() throws Exception {
        List<Threads.Running<Integer>> running = queued(64, number -> lanes.run(doubling, number));
        for (int i = 0; i < 64; i++) {
            assertThat(running.get(i).get()).isEqualTo(2 * i);
        }
        assertThat(doubling.sizes).hasSizeLessThan(10);
        assertThat(doubling.sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(64);
        assertThat(opened).hasSize(2);
    }

    @Test
    @DisplayName("those with the same key do not go in one statement")
    void sameKey() throws Exception {
        List<Threads.Running<Integer>> running = queued(12, number -> lanes.run(doubling, number % 3));
        for (int i = 0; i < 12; i++) {
            assertThat(running.get(i).get()).isEqualTo(2 * (i % 3));
        }
        assertThat(doubling.sizes).allMatch(size -> size <= 3);
    }

    @Test
    @DisplayName("one that a batch could not answer goes alone afterwards")
    void unanswered() throws Exception {
        doubling.unanswered = 5;
        List<Threads.Running<Integer>> running = queued(10, number -> lanes.run(doubling, number));
        for (int i = 0; i < 10; i++) {
            assertThat(running.get(i).get()).isEqualTo(2 * i);
        }
    }

    @Test
    @DisplayName("one that has little time left goes alone, so that the others keep theirs")
    void littleTime() throws Exception {
        List<Threads.Running<Integer>> running = queued(
                20,
                number -> number % 7 == 0
                        ? lanes.run(
                                doubling,
                                number,
                                System.nanoTime() + Duration.ofSeconds(4).toNanos())
                        : lanes.run(doubling, number));
        for (int i = 0; i < 20; i++) {
            assertThat(running.get(i).get()).isEqualTo(2 * i);
        }
        assertThat(doubling.asked).contains(List.of(0), List.of(7), List.of(14));
        assertThat(doubling.sizes).as("the others go together").hasSizeLessThan(12);
    }

    @Test
    @DisplayName("a batch that fails, fails its own calls and nobody else's")
    void failingBatch() throws Exception {
        doubling.failure = Optional.of(broken);
        Doubling sound = new Doubling();
        List<Threads.Running<Integer>> running =
                queued(20, number -> lanes.run(number % 2 == 0 ? doubling : sound, number));
        for (int i = 0; i < 20; i++) {
            Threads.Running<Integer> call = running.get(i);
            if (i % 2 == 1) {
                assertThat(call.get()).isEqualTo(2 * i);
            } else {
                assertThatThrownBy(call::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCause(broken);
            }
        }
        assertThat(lanes.run(sound, 7)).isEqualTo(14);
    }

    @Test
    @DisplayName("a lane that broke is closed and replaced, and so are those that were idle meanwhile")
    void brokenLane() throws Exception {
        queued(2, number -> lanes.run(doubling, number)).forEach(LanesTest::finish);
        assertThat(opened).hasSize(2);
        assertThatThrownBy(() -> lanes.run(lane -> {
                    throw broken;
                }))
                .isSameAs(broken);
        for (Connection connection : opened) {
            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(lanes.run(doubling, 3)).isEqualTo(6);
        assertThat(opened).hasSize(3);
    }

    private static void finish(Threads.Running<?> running) {
        try {
            running.get();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("a collision with somebody else's work does not cost a lane")
    void collision() throws SQLException {
        SQLException deadlock = new SQLException("deadlock", "40001", 1213);
        assertThatThrownBy(() -> lanes.run(lane -> {
                    throw deadlock;
                }))
                .isSameAs(deadlock);
        assertThat(lanes.run(doubling, 1)).isEqualTo(2);
        assertThat(opened).hasSize(1);
    }

    @Test
    @DisplayName("a lane that cannot be opened fails its own call; the next may try")
    void cannotOpen() throws SQLException {
        AtomicInteger tries = new AtomicInteger();
        try (Lanes<Lane, SQLException> flaky = new Lanes<>(
                (SqlSource) (atMost, isServed, taker) -> {
                    if (tries.incrementAndGet() <= 3) {
                        throw broken;
                    }
                    return open();
                },
                1,
                1,
                Duration.ofSeconds(1))) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> flaky.run(doubling, 1)).isSameAs(broken);
            }
            assertThat(flaky.run(doubling, 1)).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("one that opens a lane takes one that comes free first, and leaves the other to the next")
    void firstOfBoth() throws Exception {
        SmallPool pool = new SmallPool(Sessions.source(() -> DriverManager.getConnection("jdbc:h2:mem:")), 1);
        LaneOpener opener = new LaneOpener(pool.source(), Dialect.H2, Duration.ofSeconds(20), false, false, null);
        try (Lanes<Lane, SQLException> two = new Lanes<>(opener, 2, 2, Duration.ofSeconds(20))) {
            CountDownLatch end = new CountDownLatch(1);
            CountDownLatch isBusy = new CountDownLatch(1);
            Threads.Running<String> busy = Threads.start(() -> two.run(lane -> {
                isBusy.countDown();
                return await(end);
            }));
            isBusy.await();
            Threads.Running<Integer> opening = Threads.start(() -> two.run(doubling, 7));
            Threads.eventually("it waits for the pool", opening::isWaiting);
            end.countDown();
            assertThat(busy.get()).isEqualTo("done");
            assertThat(opening.task().get(5, TimeUnit.SECONDS)).isEqualTo(14);
            assertThat(two.run(doubling, 8)).isEqualTo(16);
        }
    }

    @Test
    @DisplayName("that are many never open more lanes than there may be, however slowly they are opened")
    void manyOpenFew() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch isReady = new CountDownLatch(1);
        DataSource slow = Sessions.source(() -> {
            if (asked.incrementAndGet() > 1) {
                await(isReady);
            }
            return DriverManager.getConnection("jdbc:h2:mem:");
        });
        LaneOpener opener = new LaneOpener(slow, Dialect.H2, Duration.ofSeconds(20), false, false, null);
        try (Lanes<Lane, SQLException> three = new Lanes<>(opener, 3, 3, Duration.ofSeconds(20))) {
            Race.of(8, racer -> () -> {
                for (int i = 0; i < 100; i++) {
                    three.run(doubling, i);
                }
                return racer;
            });
            assertThat(asked.get()).isLessThanOrEqualTo(3);
            isReady.countDown();
        }
    }

    @Test
    @DisplayName("what takes long has one lane at a time, and holds up neither batches nor others")
    void aside() throws Exception {
        try (Lanes<Lane, SQLException> three = new Lanes<>(source, 3, 1, Duration.ofSeconds(10))) {
            CountDownLatch end = new CountDownLatch(1);
            List<Threads.Running<String>> slow = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                slow.add(Threads.start(() -> three.runAside(lane -> await(end))));
            }
            Threads.eventually(
                    "one has a lane, the others queue", () -> slow.stream().allMatch(Threads.Running::isWaiting));
            assertThat(three.run(doubling, 1)).isEqualTo(2);
            String verb = three.run(lane -> "done");
            assertThat(verb).isEqualTo("done");
            end.countDown();
            for (Threads.Running<String> call : slow) {
                assertThat(call.get()).isEqualTo("done");
            }
        }
    }

    @Test
    @DisplayName("W06 one that finds no lane in time is told how many there are")
    void allBusy() throws Exception {
        try (Lanes<Lane, SQLException> one = new Lanes<>(source, 1, 1, Duration.ofMillis(50))) {
            CountDownLatch end = new CountDownLatch(1);
            Threads.Running<String> busy = Threads.start(() -> one.run(lane -> await(end)));
            Threads.eventually("the lane is busy", busy::isWaiting);
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> one.run(doubling, 1))
                    .withMessageContaining("All 1 of Leasehold's database connections")
                    .withMessageContaining("50 ms");
            end.countDown();
            assertThat(busy.get()).isEqualTo("done");
        }
    }

    @Test
    @DisplayName("W08 closing ends those that wait at once, and opens nothing more")
    void closing() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        List<Threads.Running<String>> busy = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            busy.add(Threads.start(() -> lanes.run(lane -> await(end))));
        }
        Threads.eventually("both lanes are busy", () -> busy.stream().allMatch(Threads.Running::isWaiting));
        List<Threads.Running<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            waiting.add(Threads.start(() -> number % 2 == 0 ? lanes.run(doubling, number) : lanes.run(lane -> number)));
        }
        Threads.eventually("all queue", () -> waiting.stream().allMatch(Threads.Running::isWaiting));
        lanes.close();
        for (Threads.Running<?> call : waiting) {
            assertThatThrownBy(call::get)
                    .hasCauseInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("closed");
        }
        end.countDown();
        for (Threads.Running<String> call : busy) {
            assertThat(call.get()).isEqualTo("done");
        }
        assertThat(new HashSet<>(opened)).hasSize(2);
        assertThatThrownBy(() -> lanes.run(doubling, 1)).isInstanceOf(StoreUnavailableException.class);
    }
}
