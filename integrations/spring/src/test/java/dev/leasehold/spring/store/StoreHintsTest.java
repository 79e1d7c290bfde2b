package dev.leasehold.spring.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

@DisplayName("A native image")
class StoreHintsTest {
    @Test
    @DisplayName("keeps the scripts of the stores and the proxy of connections")
    void hints() {
        RuntimeHints hints = new RuntimeHints();
        new StoreHints().registerHints(hints, getClass().getClassLoader());
        for (String resource : new String[] {
            "dev/leasehold/jdbc/postgresql.sql",
            "dev/leasehold/redis/prelude.lua",
            "META-INF/services/dev.leasehold.store.StoreProvider"
        }) {
            assertThat(getClass().getResource("/" + resource)).as(resource).isNotNull();
            assertThat(RuntimeHintsPredicates.resource().forResource(resource))
                    .as(resource)
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Connection.class))
                .accepts(hints);
    }
}
