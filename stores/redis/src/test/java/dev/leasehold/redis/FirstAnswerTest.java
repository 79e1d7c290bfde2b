package dev.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The first answer of several servers")
class FirstAnswerTest {
    @Test
    @DisplayName("is asked for by a thread without the variables of the caller's")
    void inheritsNoVariables() throws TimeoutException {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        user.set("alice");
        String seen =
                FirstAnswer.of(List.of(() -> "user: " + user.get()), Duration.ofSeconds(1), Duration.ofSeconds(10));
        assertThat(seen).isEqualTo("user: null");
    }
}
