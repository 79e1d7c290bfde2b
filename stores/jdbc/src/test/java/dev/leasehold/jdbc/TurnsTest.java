package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Turns of one process on a key")
class TurnsTest {
    private final Turns turns = new Turns();
    private final Key key = Ask.key();

    @Test
    @DisplayName("a call that meets another one on its key comes after it")
    void inOrder() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        CountDownLatch isIn = new CountDownLatch(1);
        Threads.Running<String> first = Threads.start(() -> turns.take(key, () -> {
            isIn.countDown();
            Threads.eventually("the second call waits", () -> turns.waiting(key) == 1);
            order.add("first");
            return "first";
        }));
        isIn.await();

        turns.take(key, () -> order.add("second"));

        assertThat(first.get()).isEqualTo("first");
        assertThat(order).containsExactly("first", "second");
    }

    @Test
    @DisplayName("a call does not wait long for its turn, nor at all for other keys or with an interrupt pending")
    void withoutATurn() throws Exception {
        CountDownLatch isIn = new CountDownLatch(1);
        CountDownLatch mayGo = new CountDownLatch(1);
        Threads.Running<Boolean> stuck = Threads.start(() -> turns.take(key, () -> {
            isIn.countDown();
            Threads.eventually("the others are through", () -> mayGo.getCount() == 0);
            return true;
        }));
        isIn.await();

        assertThat(turns.take(Ask.key(), () -> "another key")).isEqualTo("another key");
        assertThat(turns.take(key, () -> "the same key")).isEqualTo("the same key");
        Thread.currentThread().interrupt();
        assertThat(turns.take(key, () -> "interrupted")).isEqualTo("interrupted");
        assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
        mayGo.countDown();
        assertThat(stuck.get()).isTrue();
        assertThat(turns.size()).isZero();
    }
}
