package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The settings")
class SettingsTest {
    @Test
    @DisplayName("have defaults: 300 s, 503, port 8080, this machine only")
    void defaults() {
        Settings settings = Settings.of(List.of(), Map.of());
        assertThat(settings.lockTtl()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.isLockedSkipped()).isFalse();
        assertThat(settings.port()).isEqualTo(8080);
        assertThat(settings.address()).isEqualTo("127.0.0.1");
    }

    @Test
    @DisplayName("take the store from the command line before the environment")
    void store() {
        Map<String, String> environment = Map.of("LEASEHOLD_STORE", "jdbc:sqlite:one");
        assertThat(Settings.of(List.of(), environment).store()).isEqualTo("jdbc:sqlite:one");
        assertThat(Settings.of(List.of("--store", "jdbc:h2:two"), environment).store())
                .isEqualTo("jdbc:h2:two");
        assertThat(Settings.of(List.of("--store=jdbc:h2:two"), environment).store())
                .isEqualTo("jdbc:h2:two");
    }

    @Test
    @DisplayName("open the port to other machines only if callers are checked")
    void address() {
        assertThat(Settings.of(List.of(), Map.of("TASK_TOKEN", "secret")).address())
                .isEqualTo("0.0.0.0");
        assertThat(Settings.of(List.of(), Map.of("TASK_TOKEN", " ")).address()).isEqualTo("127.0.0.1");
        assertThat(Settings.of(List.of(), Map.of("TASK_OIDC_ISSUER", "https://issuer", "TASK_OIDC_AUDIENCE", "me"))
                        .address())
                .isEqualTo("0.0.0.0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PORT=x | PORT is a whole number from 0 to 65535",
                "PORT=70000 | PORT is",
                "ANALYSIS_LOCK_TTL_SECONDS=0 | ANALYSIS_LOCK_TTL_SECONDS is a whole number from 1 to 86400",
                "ANALYSIS_LOCKED_ANSWER=404 | ANALYSIS_LOCKED_ANSWER is 503 or 200",
                "FIRESTORE_EMULATOR_HOST=nonsense | FIRESTORE_EMULATOR_HOST is a host and a port",
                "FIRESTORE_EMULATOR_HOST=http://localhost:8080 | FIRESTORE_EMULATOR_HOST is a host and a port",
                "TASK_OIDC_ISSUER=https://i | belong together",
                "TASK_OIDC_AUDIENCE=me | belong together"
            })
    @DisplayName("that are wrong are refused by name")
    void wrong(String variable, String message) {
        String[] parts = variable.split("=", 2);
        assertThatThrownBy(() -> Settings.of(List.of(), Map.of(parts[0], parts[1])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    @DisplayName("do not care for blanks around the task token and the emulator's address")
    void blanks() {
        Settings settings =
                Settings.of(List.of(), Map.of("TASK_TOKEN", " secret\n", "FIRESTORE_EMULATOR_HOST", " [::1]:8080 "));
        assertThat(settings.taskToken()).isEqualTo("secret");
        assertThat(settings.emulator()).isEqualTo("[::1]:8080");
    }

    @Test
    @DisplayName("do not accept tokens that every Google account can get, or words that mean nothing")
    void google() {
        Map<String, String> google =
                Map.of("TASK_OIDC_ISSUER", "https://accounts.google.com", "TASK_OIDC_AUDIENCE", "me");
        assertThatThrownBy(() -> Settings.of(List.of(), google)).hasMessageContaining("TASK_OIDC_EMAIL");
        assertThatThrownBy(() -> Settings.of(List.of("--strore", "x"), Map.of()))
                .hasMessageContaining("--strore");
        assertThatThrownBy(() -> Settings.of(List.of("--store"), Map.of())).hasMessageContaining("--store");
    }

    @Test
    @DisplayName("keep secrets out of their text")
    void secrets() {
        Settings settings = Settings.of(
                List.of("--store", "jdbc:postgresql://h/d?password=hidden"),
                Map.of("TASK_TOKEN", "hidden", "LEASEHOLD_STORE_PASSWORD", "hidden"));
        assertThat(settings.toString()).doesNotContain("hidden");
    }
}
