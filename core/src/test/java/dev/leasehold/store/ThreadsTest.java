package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A thread of ours")
class ThreadsTest {
    @Test
    @DisplayName("inherits the class loader, and no variables")
    void inheritsNoVariables() {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        user.set("alice");
        CompletableFuture<String> seen = new CompletableFuture<>();
        Thread thread = Threads.daemon("ours", () -> seen.complete("user: " + user.get()));
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getContextClassLoader())
                .isSameAs(Thread.currentThread().getContextClassLoader());
        thread.start();
        assertThat(seen).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("user: null");
    }
}
