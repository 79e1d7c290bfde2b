package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The settings")
class SettingsTest {
    private static Settings settings(String... variables) {
        Map<String, String> environment = new HashMap<>(
                Map.of("SPRING_DATASOURCE_URL", "jdbc:postgresql://h/d", "S3_ENDPOINT", "http://localhost:9000"));
        for (String variable : variables) {
            String[] parts = variable.split("=", 2);
            environment.put(parts[0], parts[1]);
        }
        return Settings.of(List.of(), environment);
    }

    @Test
    @DisplayName("have defaults: 5 minutes, port 8080, this machine only, no search")
    void defaults() {
        Settings settings = settings();
        assertThat(settings.lockTtl()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.port()).isEqualTo(8080);
        assertThat(settings.address()).isEqualTo("127.0.0.1");
        assertThat(settings.openSearch()).isNull();
        assertThat(settings("FINALIZE_LOCK_TTL_MINUTES=0.05").lockTtl()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    @DisplayName("open the port to other machines only if there is an issuer of tokens")
    void address() {
        assertThat(settings("JWT_ISSUER=https://issuer", "JWT_AUDIENCE=mocs").address())
                .isEqualTo("0.0.0.0");
        assertThat(settings("JWT_ISSUER=https://issuer", "JWT_AUDIENCE=mocs", "ADDRESS=10.0.0.1")
                        .address())
                .isEqualTo("10.0.0.1");
        assertThat(settings("JWT_ISSUER= ").address()).isEqualTo("127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PORT=x | PORT is a whole number from 0 to 65535",
                "FINALIZE_LOCK_TTL_MINUTES=0 | FINALIZE_LOCK_TTL_MINUTES is a number of minutes from 0.02 to 1440",
                "FINALIZE_LOCK_TTL_MINUTES=five | FINALIZE_LOCK_TTL_MINUTES is",
                "JWT_ISSUER=https://i | belong together",
                "JWT_AUDIENCE=me | belong together",
                "ADDRESS=0.0.0.0 | ADDRESS needs JWT_ISSUER",
                "AWS_ACCESS_KEY_ID=a | belong together",
                "OPENSEARCH_URL=localhost | OPENSEARCH_URL is a URL",
                "S3_ENDPOINT= | S3_ENDPOINT is not set",
                "SPRING_DATASOURCE_URL= | SPRING_DATASOURCE_URL is not set"
            })
    @DisplayName("that are wrong are refused by name")
    void wrong(String variable, String message) {
        assertThatThrownBy(() -> settings(variable))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    @DisplayName("keep secrets out of their text, and out of what is said of a wrong one")
    void secrets() {
        assertThat(settings("AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=hidden", "OPENSEARCH_URL=http://u:hidden@h")
                        .toString())
                .doesNotContain("hidden");
        assertThatThrownBy(() -> settings("OPENSEARCH_URL=//u:hidden@h")).hasMessageNotContaining("hidden");
        assertThatThrownBy(() -> Settings.of(List.of("--strore"), Map.of())).hasMessageContaining("--strore");
    }
}
