package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A URL whose store is not on the class path")
class StoresTest {
    @ParameterizedTest
    @CsvSource({
        "file:/var/leases, dev.leasehold:leasehold-file",
        "sqlite:leases.db, org.xerial:sqlite-jdbc",
        "redis://cache, dev.leasehold:leasehold-redis"
    })
    @DisplayName("is told which dependency is missing, and that a merged jar may have lost it")
    void dependency(String url, String words) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("Add the dependency")
                .hasMessageContaining(words)
                .hasMessageEndingWith(" If its module is in your application, check"
                        + " META-INF/services/dev.leasehold.store.StoreProvider: in one merged jar it must list the providers"
                        + " of all modules.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgres://host/db", "postgresql://host/db"})
    @DisplayName("is told how the URL of a PostgreSQL database begins")
    void postgres(String url) {
        assertThatThrownBy(() -> Stores.open(url))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("The URL of such a database begins with \"jdbc:postgresql:\".");
    }
}
