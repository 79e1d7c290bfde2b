package dev.leasehold.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.WakeUp;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A listener")
class ListenerTest {
    private static final WakeUp WAKE_UP = new WakeUp.LookAgain(Key.of("a key"), new Nonce(1, 2));
    private static final String MESSAGE = "L " + WAKE_UP.nonce() + " a key";

    private final WakeUps wakeUps = new WakeUps();
    private final BlockingQueue<WakeUp> told = new LinkedBlockingQueue<>();
    /** What becomes of the next channels. */
    private final BlockingQueue<Script> scripts = new LinkedBlockingQueue<>();

    private final BlockingQueue<Scripted> opened = new LinkedBlockingQueue<>();
    private final Listener listener = new Listener("a server", Scripted::new, wakeUps, Duration.ofMillis(200));

    @AfterEach
    void close() {
        listener.close();
    }

    private interface Script {
        void hear(Listener.Ear ear, Scripted channel) throws Exception;
    }

    /** A channel that does as it is told, since no real one breaks at will. */
    private final class Scripted implements Listener.Channel {
        private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();

        @Override
        public void hear(Listener.Ear ear) throws Exception {
            opened.add(this);
            scripts.take().hear(ear, this);
        }

        @Override
        public void examine() {
            asked.add("examine");
        }

        @Override
        public void end() {
            asked.add("end");
        }

        String await() throws InterruptedException {
            return String.valueOf(asked.poll(10, TimeUnit.SECONDS));
        }
    }

    /** Whether anybody wants it is for the tests to say: they may have closed the listener as soon as it is open. */
    private static void untilEnd(Listener.Ear ear, Scripted channel) throws InterruptedException {
        ear.isOpen();
        while (!channel.await().equals("end")) {
            ear.told(MESSAGE);
        }
    }

    /** The first call waits for a moment only, which may be too short for a thread to start on a busy machine. */
    private void awaitListening() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!listener.isListening()) {
            assertThat(System.nanoTime() - end).as("open, in good time").isNegative();
            Thread.sleep(1);
        }
    }

    private Scripted next() throws InterruptedException {
        Scripted next = opened.poll(10, TimeUnit.SECONDS);
        assertThat(next).as("a channel, in good time").isNotNull();
        return next;
    }

    @Test
    @DisplayName("hears on a thread without the variables of the caller that needed it first")
    void inheritsNoVariables() throws InterruptedException {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        user.set("alice");
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        scripts.add((ear, channel) -> {
            seen.add("user: " + user.get());
            untilEnd(ear, channel);
        });
        awaitListening();
        assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo("user: null");
    }

    @Test
    @DisplayName("opens nothing before somebody wants to be told, and then one channel for all")
    void lazily() throws InterruptedException {
        assertThat(opened).isEmpty();
        scripts.add(ListenerTest::untilEnd);
        awaitListening();
        assertThat(listener.isListening()).isTrue();
        next();
        assertThat(opened).isEmpty();
    }

    @Test
    @DisplayName("W04 passes on what it hears, but for what it cannot read")
    void passesOn() throws InterruptedException {
        wakeUps.subscribe(told::add);
        scripts.add((ear, channel) -> {
            ear.told("nonsense");
            ear.told("");
            untilEnd(ear, channel);
        });
        awaitListening();
        listener.examine();
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo(WAKE_UP);
        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("W05 opens another channel when one breaks or ends, whatever for")
    void again() throws InterruptedException {
        scripts.add((ear, channel) -> {
            assertThat(ear.isOpen()).isTrue();
            throw new IOException("broken");
        });
        scripts.add((ear, channel) -> {
            throw new OutOfMemoryError("for the moment");
        });
        scripts.add((ear, channel) -> assertThat(ear.isOpen()).isTrue());
        scripts.add(ListenerTest::untilEnd);
        awaitListening();
        assertThat(next()).isNotSameAs(next());
        next();
        next();
        assertThat(listener.isListening()).isTrue();
    }

    @Test
    @DisplayName("W05 that cannot connect says so, tries again by itself, and hears once it could")
    void refused() throws InterruptedException {
        wakeUps.subscribe(told::add);
        for (int i = 0; i < 2; i++) {
            scripts.add((ear, channel) -> {
                throw new IOException("refused");
            });
        }
        assertThat(listener.isListening()).isFalse();
        scripts.add(ListenerTest::untilEnd);
        assertThat(next()).isNotSameAs(next());
        next();
        listener.examine();
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo(WAKE_UP);
        assertThat(listener.isListening()).isTrue();
    }

    @Test
    @DisplayName("that cannot connect keeps only its first caller waiting, and that one not for long")
    void waitsOnce() {
        // No script: the channel neither opens nor fails.
        assertThat(listener.isListening()).isFalse();
        long start = System.nanoTime();
        assertThat(listener.isListening()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(100));
    }

    @Test
    @DisplayName("W05 that connects late hears from then on, by the same channel")
    void late() throws InterruptedException {
        wakeUps.subscribe(told::add);
        assertThat(listener.isListening()).isFalse();
        scripts.add(ListenerTest::untilEnd);
        listener.examine();
        assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo(WAKE_UP);
        assertThat(listener.isListening()).isTrue();
        next();
        assertThat(opened).isEmpty();
    }

    @Test
    @DisplayName("that is closed before it could connect opens no other channel")
    void closedTooEarly() throws InterruptedException {
        BlockingQueue<Boolean> wanted = new LinkedBlockingQueue<>();
        scripts.add((ear, channel) -> {
            assertThat(channel.await()).isEqualTo("end");
            wanted.add(ear.isOpen());
        });
        assertThat(listener.isListening()).isFalse();
        listener.close();
        assertThat(wanted.poll(10, TimeUnit.SECONDS)).isFalse();
        next();
        assertThat(opened).isEmpty();
    }

    @Test
    @DisplayName("ends its channel when it is closed, and opens no other")
    void closed() throws InterruptedException {
        BlockingQueue<Boolean> wanted = new LinkedBlockingQueue<>();
        scripts.add((ear, channel) -> {
            untilEnd(ear, channel);
            wanted.add(ear.isOpen());
        });
        assertThat(listener.isListening()).isTrue();
        listener.close();
        assertThat(wanted.poll(10, TimeUnit.SECONDS)).isFalse();
        next();
        assertThat(opened).isEmpty();
    }
}
