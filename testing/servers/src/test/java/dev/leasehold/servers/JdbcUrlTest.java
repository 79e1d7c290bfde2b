package dev.leasehold.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A JDBC URL")
class JdbcUrlTest {
    @Test
    @DisplayName("gives up its user and password, and keeps its other parameters")
    void allParts() {
        JdbcUrl url = JdbcUrl.parse("jdbc:postgresql://db:5432/app?user=me&ssl=true&password=a%26b&x=y");
        assertThat(url.user()).isEqualTo("me");
        assertThat(url.password()).isEqualTo("a&b");
        assertThat(url.text()).isEqualTo("jdbc:postgresql://db:5432/app?ssl=true&x=y");
        assertThat(url.withDatabase("other").text()).isEqualTo("jdbc:postgresql://db:5432/other?ssl=true&x=y");
    }

    @Test
    @DisplayName("may name neither database nor parameters")
    void serverOnly() {
        JdbcUrl url = JdbcUrl.parse("jdbc:mariadb://db");
        assertThat(url.user()).isEmpty();
        assertThat(url.withDatabase("other").text()).isEqualTo("jdbc:mariadb://db/other");
    }

    @Test
    @DisplayName("that is none is refused with an example")
    void notAUrl() {
        assertThatThrownBy(() -> JdbcUrl.parse("postgres://db/app"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("such as jdbc:postgresql://");
    }
}
