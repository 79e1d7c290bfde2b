package dev.leasehold.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A lane is opened on a thread of its own")
class OpeningsTest {
    private static final Duration SHORT = Duration.ofMillis(20);
    private static final Duration LONG = Duration.ofSeconds(20);

    private final AtomicInteger started = new AtomicInteger();
    private final CompletableFuture<Door> server = new CompletableFuture<>();
    private final Openings<Door> openings = new Openings<>(() -> {
        started.incrementAndGet();
        return server.get();
    });

    /** A lane that is done when it is closed. */
    private static final class Door implements Lanes.Lane {
        final CompletableFuture<Boolean> end = new CompletableFuture<>();

        @Override
        public void close() {
            end.complete(true);
        }
    }

    private static Door open(Openings<Door> openings, Duration atMost) throws TimeoutException, ExecutionException {
        return openings.open(atMost, () -> false, lane -> {}).orElseThrow();
    }

    private void assertTooLate() {
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> open(openings, SHORT));
    }

    @Test
    @DisplayName("and given to whoever asked")
    void opens() throws Exception {
        Openings<Door> named = new Openings<>(() -> {
            assertThat(Thread.currentThread().getName()).isEqualTo("leasehold-connect");
            return new Door();
        });
        assertThat(open(named, LONG)).isNotSameAs(open(named, LONG));
    }

    @Test
    @DisplayName("that has the class loader of the caller's, and no variable of it, such as a transaction")
    void inheritsNoVariables() throws Exception {
        InheritableThreadLocal<String> transaction = new InheritableThreadLocal<>();
        transaction.set("the caller's");
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        ClassLoader loader = new ClassLoader(before) {};
        Thread.currentThread().setContextClassLoader(loader);
        Openings<Door> watched = new Openings<>(() -> {
            assertThat(transaction.get()).isNull();
            assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(loader);
            assertThat(Thread.currentThread().isDaemon()).isTrue();
            return new Door();
        });
        try {
            assertThat(open(watched, LONG)).isNotNull();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    @Timeout(20)
    @DisplayName("while its caller keeps an interrupt, and a lease that is lost meanwhile sends no other")
    void interruptedWhileItWaits() {
        CompletableFuture<Boolean> wasInterrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                open(openings, LONG);
                wasInterrupted.complete(Thread.currentThread().isInterrupted());
            } catch (TimeoutException | ExecutionException e) {
                wasInterrupted.completeExceptionally(e);
            }
        });
        caller.start();
        caller.interrupt();
        while (caller.isInterrupted()) {
            Thread.onSpinWait();
        }
        boolean isSentByLoss = Uninterrupted.interrupt(caller);
        server.complete(new Door());
        assertThat(wasInterrupted).succeedsWithin(LONG).isEqualTo(true);
        assertThat(isSentByLoss).isFalse();
    }

    @Test
    @DisplayName("and if it comes too late, given to the next who asks: nothing is opened twice")
    void late() throws Exception {
        assertTooLate();
        assertTooLate();
        Door door = new Door();
        server.complete(door);
        assertThat(open(openings, LONG)).isSameAs(door);
        assertThat(started).hasValue(1);
        assertThat(door.end).isNotDone();
    }

    @Test
    @DisplayName("and if its caller was served first, it is passed on when it comes")
    void served() throws Exception {
        CompletableFuture<Optional<Door>> passedOn = new CompletableFuture<>();
        assertThat(openings.open(LONG, () -> true, passedOn::complete)).isEmpty();
        Door door = new Door();
        server.complete(door);
        assertThat(passedOn.get(20, TimeUnit.SECONDS)).contains(door);
    }

    @Test
    @DisplayName("and if its caller was served first and it cannot be opened, that is told too")
    void servedAndFailed() throws Exception {
        CompletableFuture<Optional<Door>> passedOn = new CompletableFuture<>();
        assertThat(openings.open(LONG, () -> true, passedOn::complete)).isEmpty();
        server.completeExceptionally(new IllegalStateException("no server"));
        assertThat(passedOn.get(20, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    @DisplayName("and if it cannot be, the cause is told")
    void fails() {
        server.completeExceptionally(new IllegalStateException("no server"));
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> open(openings, LONG))
                .havingRootCause()
                .withMessage("no server");
    }

    @Test
    @DisplayName("and one that failed too late is nobody's any more")
    void failsLate() throws Exception {
        AtomicInteger turn = new AtomicInteger();
        Openings<Door> recovering = new Openings<>(() -> turn.incrementAndGet() == 1 ? server.get() : new Door());
        assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> open(recovering, SHORT));
        server.completeExceptionally(new IllegalStateException("no server"));
        // Until the first has noticed that it failed, it may still be waited for.
        while (turn.get() <= 1) {
            try {
                open(recovering, LONG);
            } catch (ExecutionException e) {
                assertThat(e).hasRootCauseMessage("no server");
            }
        }
        assertThat(open(recovering, LONG)).isNotNull();
    }

    @Test
    @DisplayName("and closed if it comes after the end")
    void closesWhatIsLate() throws Exception {
        assertTooLate();
        openings.close();
        Door door = new Door();
        server.complete(door);
        assertThat(door.end.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("and closed if whoever waits gives it up after the end")
    void closesWhatIsGivenUp() throws Exception {
        openings.close();
        assertTooLate();
        Door door = new Door();
        server.complete(door);
        assertThat(door.end.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    @DisplayName("and who is interrupted meanwhile gets it all the same, and stays interrupted")
    void interrupted() throws Exception {
        server.complete(new Door());
        Thread.currentThread().interrupt();
        assertThat(open(openings, LONG)).isNotNull();
        assertThat(Thread.interrupted()).isTrue();
    }
}
