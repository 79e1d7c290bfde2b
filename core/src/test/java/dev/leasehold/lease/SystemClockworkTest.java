package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The threads of the real clockwork")
class SystemClockworkTest {
    private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

    private final SystemClockwork clockwork = new SystemClockwork();

    @AfterEach
    void clear() {
        USER.remove();
    }

    private static String user() {
        return "user: " + USER.get();
    }

    private static void assertNobodys(CompletableFuture<String> seen) {
        assertThat(seen).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("user: null");
    }

    @Test
    @DisplayName("run callbacks without the variables of the thread that happened to need them first")
    void callbacks() {
        USER.set("alice");
        CompletableFuture<String> seen = new CompletableFuture<>();
        clockwork.dispatch(() -> seen.complete(user()));
        assertNobodys(seen);
    }

    @Test
    @DisplayName("ask stores without them")
    void requests() {
        USER.set("alice");
        CompletableFuture<String> seen = new CompletableFuture<>();
        clockwork.call(SystemClockworkTest::user, new Clockwork.Reply<String>() {
            @Override
            public void answered(String result) {
                seen.complete(result);
            }

            @Override
            public void failed(Throwable cause) {
                seen.completeExceptionally(cause);
            }
        });
        assertNobodys(seen);
    }

    @Test
    @DisplayName("keep leases without them")
    void keeper() {
        USER.set("alice");
        CompletableFuture<String> seen = new CompletableFuture<>();
        try (Clockwork.Alarm alarm = clockwork.newAlarm(() -> seen.complete(user()))) {
            alarm.setFor(0);
            assertNobodys(seen);
        }
    }

    @Test
    @DisplayName("have the class loader of the thread that needed them")
    void classLoader() {
        Thread own = Thread.currentThread();
        ClassLoader before = own.getContextClassLoader();
        ClassLoader application = new ClassLoader(before) {};
        CompletableFuture<ClassLoader> seen = new CompletableFuture<>();
        own.setContextClassLoader(application);
        try {
            clockwork.dispatch(() -> seen.complete(Thread.currentThread().getContextClassLoader()));
        } finally {
            own.setContextClassLoader(before);
        }
        assertThat(seen).succeedsWithin(Duration.ofSeconds(10)).isSameAs(application);
    }
}
