package dev.leasehold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.Uninterrupted;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("Lanes to a server")
class LanesTest {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private final Lanes<TestLane, IOException> lanes = new Lanes<>(new TestSource(), 2, 2, LONGEST_WAIT);
    private final ExecutorService callers = Executors.newCachedThreadPool();

    private static final class TestLane implements Lanes.Lane {
        @Override
        public void close() {}
    }

    private static final class TestSource implements Lanes.LaneSource<TestLane, IOException> {
        @Override
        public TestLane open(Duration atMost, BooleanSupplier isServed, Consumer<Optional<TestLane>> taker) {
            return new TestLane();
        }

        @Override
        public Class<IOException> errors() {
            return IOException.class;
        }

        @Override
        public boolean isHarmless(IOException error, TestLane lane) {
            return false;
        }

        @Override
        public boolean isLost(IOException error) {
            return false;
        }

        @Override
        public String plural() {
            return "test connections";
        }
    }

    /** A batch whose caller stands still between getting its turn and opening a lane. */
    private static final class SlowBatch implements Lanes.Batch<TestLane, String, String, IOException> {
        private final CountDownLatch hasTurn = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        @Override
        public Object key(String request) {
            hasTurn.countDown();
            awaitLatch(goOn);
            return request;
        }

        @Override
        public String alone(TestLane lane, String request) {
            return request;
        }

        @Override
        public List<Optional<String>> together(TestLane lane, List<String> requests) {
            return requests.stream().map(Optional::of).toList();
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        callers.shutdownNow();
        lanes.close();
    }

    @Test
    @DisplayName("are all there still after a lane came free for a call that had not begun to open one")
    void noneIsLost() throws Exception {
        CountDownLatch areBusy = new CountDownLatch(2);
        CountDownLatch endFirst = new CountDownLatch(1);
        CountDownLatch breakSecond = new CountDownLatch(1);
        Future<String> first = callers.submit(() -> lanes.run(lane -> {
            areBusy.countDown();
            awaitLatch(endFirst);
            return "first";
        }));
        Future<String> second = callers.submit(() -> lanes.<String>run(lane -> {
            areBusy.countDown();
            awaitLatch(breakSecond);
            throw new IOException("broken");
        }));
        awaitLatch(areBusy);
        SlowBatch batch = new SlowBatch();
        breakSecond.countDown(); // There is room for a lane now, which the next call is to open.
        assertThatThrownBy(second::get).hasRootCauseMessage("broken");
        Future<String> third = callers.submit(() -> lanes.run(batch, "third"));
        awaitLatch(batch.hasTurn);
        endFirst.countDown();
        assertThat(first.get()).isEqualTo("first");
        batch.goOn.countDown();
        assertThat(third.get()).isEqualTo("third");

        CyclicBarrier both = new CyclicBarrier(2);
        List<Future<Integer>> pair = List.of(
                callers.submit(() -> lanes.run(lane -> meet(both))),
                callers.submit(() -> lanes.run(lane -> meet(both))));
        for (Future<Integer> one : pair) {
            assertThat(one.get()).isBetween(0, 1);
        }
    }

    @Test
    @Timeout(20)
    @DisplayName("leave a call that waits for one its interrupt, and a lease that is lost meanwhile sends no other")
    void interruptedWhileItWaits() throws Exception {
        CountDownLatch areBusy = new CountDownLatch(2);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            callers.execute(() -> runUntil(areBusy, end));
        }
        awaitLatch(areBusy);
        CompletableFuture<Boolean> wasInterrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            runUntil(new CountDownLatch(0), new CountDownLatch(0));
            wasInterrupted.complete(Thread.currentThread().isInterrupted());
        });
        caller.start();
        caller.interrupt();
        while (caller.isInterrupted()) {
            Thread.onSpinWait();
        }
        boolean isSentByLoss =
                Uninterrupted.interrupt(caller); // It would be taken back when the work under the lease ends.
        end.countDown();
        assertThat(wasInterrupted).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
        assertThat(isSentByLoss).isFalse();
    }

    private void runUntil(CountDownLatch isBusy, CountDownLatch end) {
        try {
            lanes.run(lane -> {
                isBusy.countDown();
                Uninterrupted.await(() -> end.await(10, TimeUnit.SECONDS));
                return "done";
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static int meet(CyclicBarrier both) throws IOException {
        try {
            return both.await(3, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IOException("the other call found no lane", e);
        }
    }
}
