package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A wait that an interrupt does not end")
class UninterruptedTest {
    @Test
    @DisplayName("is begun again after each interrupt, and the thread stays interrupted")
    void waitsOn() {
        AtomicInteger waits = new AtomicInteger();
        String result = Uninterrupted.await(() -> {
            if (waits.incrementAndGet() < 3) {
                throw new InterruptedException();
            }
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(waits).hasValue(3);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("leaves a thread without an interrupt as it is")
    void notInterrupted() {
        assertThat(Uninterrupted.<String, RuntimeException>resultOf(CompletableFuture.completedFuture("done")))
                .isEqualTo("done");
        assertThat(Thread.interrupted()).isFalse();
    }

    static Throwable[] failures() {
        return new Throwable[] {new IOException("odd"), new IllegalStateException("odd"), new AssertionError("odd")};
    }

    @ParameterizedTest
    @MethodSource("failures")
    @DisplayName("throws what the work threw")
    void failureIsThatOfTheWork(Throwable failure) {
        CompletableFuture<String> task = CompletableFuture.failedFuture(failure);
        assertThatThrownBy(() -> Uninterrupted.<String, IOException>resultOf(task))
                .isSameAs(failure);
    }

    @Test
    @DisplayName("counts as interrupted while its flag is cleared, and so is not interrupted by others")
    void keptInterrupt() {
        Thread thread = Thread.currentThread();
        thread.interrupt();
        boolean isSent = Uninterrupted.<Boolean, RuntimeException>await(() -> Uninterrupted.interrupt(thread));
        assertThat(isSent).as("sent during the wait").isFalse();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Uninterrupted.interrupt(thread)).as("sent afterwards").isTrue();
        assertThat(Thread.interrupted()).isTrue();
    }
}
