package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A store's URL")
class StoreUrlTest {
    @ParameterizedTest(name = "the scheme of {0} is {1}")
    @CsvSource({
        "memory:, memory, ''",
        "file:/var/lib/leases, file, /var/lib/leases",
        "FILE:x, file, x",
        "jdbc:postgresql://db/app, jdbc:postgresql, //db/app",
        "worker-lock:jdbc:mariadb://db/app, worker-lock, jdbc:mariadb://db/app"
    })
    void hasASchemeAndARest(String text, String scheme, String rest) {
        StoreUrl url = StoreUrl.of(text);
        assertThat(url.scheme()).isEqualTo(scheme);
        assertThat(url.rest()).isEqualTo(rest);
    }

    @ParameterizedTest(name = "{0} has no scheme")
    @ValueSource(strings = {"", "/var/lib/leases", ":x", "1:x", "jdbc"})
    void withoutASchemeIsRefused(String text) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> StoreUrl.of(text))
                .withMessageContaining("scheme");
    }

    @ParameterizedTest(name = "{0} is shown as {1}")
    @CsvSource({
        "jdbc:postgresql://db/app?user=me&password=s3cret&ssl=true, jdbc:postgresql://db/app?user=me&password=***&ssl=true",
        "jdbc:h2:mem:x;USER=sa;PASSWORD=s3cret;MODE=MySQL, jdbc:h2:mem:x;USER=sa;PASSWORD=***;MODE=MySQL",
        "redis://me:s3c@ret@cache:6379/0, redis://me:***@cache:6379/0",
        "jdbc:mariadb://db/app?trustStorePassword=s3cret, jdbc:mariadb://db/app?trustStorePassword=***",
        "file:/var/password/x, file:/var/password/x"
    })
    void neverShowsAPassword(String text, String shown) {
        StoreUrl url = StoreUrl.of(text);
        assertThat(url).hasToString(shown);
        assertThat(url.holdsSecret()).isEqualTo(text.contains("s3c"));
        assertThat(url.withUser("me", "other").toString()).doesNotContain("other");
    }

    @Test
    @DisplayName("of an unknown scheme lists the known ones, and the dependency to add")
    void unknownScheme() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open("foo:bar"))
                .withMessageContaining("\"foo:\"")
                .withMessageContaining("memory:");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open("file:/tmp/x"))
                .withMessageContaining("dev.leasehold:leasehold-file");
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open("jdbc:postgresql:x"))
                .withMessageContaining("dev.leasehold:leasehold-jdbc");
    }

    @ParameterizedTest(name = "{0}: is in the module for Redis")
    @ValueSource(strings = {"redis", "rediss", "redis-cluster", "rediss-cluster"})
    void redisIsInAModuleOfItsOwn(String scheme) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open(scheme + "://:s3cret@cache"))
                .withMessageContaining("Add the dependency dev.leasehold:leasehold-redis.")
                .withMessageNotContaining("s3cret");
    }

    @Test
    void opensTheStoreBehindIt() {
        try (LeaseStore store = Stores.open("memory:")) {
            assertThat(store.name()).isEqualTo("memory");
        }
    }
}
