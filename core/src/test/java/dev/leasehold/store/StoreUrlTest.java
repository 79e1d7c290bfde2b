package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
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

    /** What a person may choose, with what separates the parts of URLs in it. None is shown as a whole or in part. */
    private static final List<String> HOSTILE = List.of(
            "QXJ/ZKW",
            "QXJ/ZKW/",
            "QXJ@ZKW",
            "QXJ@ZKW/1",
            "QXJ/1@ZKW",
            "QXJ?@ZKW",
            "QXJ?prefix@ZKW",
            "@QXJZKW@",
            "QXJ:ZKW",
            ":QXJ:ZKW:",
            "QXJ;ZKW",
            "QXJ&ZKW",
            "QXJ&x=ZKW",
            "&QXJ=ZKW",
            "&&QXJ=ZKW",
            ";QXJ=ZKW",
            "QXJ;X=ZKW",
            "QXJ&xpassword=ZKW",
            "QXJ ZKW",
            " QXJZKW",
            "QXJ#ZKW",
            "QXJ\\;ZKW",
            "QXJ%ZKW",
            "QXJ%zzZKW",
            "QXJ%2",
            "QXJ%2FZKW",
            "QXJ%00ZKW",
            "QXJ=ZKW",
            "QXJ,ZKW:1",
            "[QXJ]ZKW",
            "QXJ\nZKW",
            "ÄQXJ密码ZKW🔑",
            "12QXJ/ZKW",
            "QXJ\"'ZKW");

    private static final List<String> PLACES = List.of(
            "redis://:%s@cache",
            "redis://me:%s@cache:6379/0?prefix=app:",
            "rediss://:%s@[::1]:7000/3",
            "redis-cluster://me:%s@a:7000,b/?accept=eviction",
            "jdbc:postgresql://db/app?user=me&password=%s",
            "jdbc:postgresql://db/app?password=%s&ssl=true",
            "jdbc:postgresql:app?sslpassword=%s",
            "jdbc:postgresql://me:%s@db:5432/app",
            "jdbc:mariadb://me:%s@db/app",
            "jdbc:mariadb://db/app?user=me&password=%s&trustStorePassword=x",
            "jdbc:mysql://me:%s@db/app?useSSL=true",
            "jdbc:mysql://(host=db,user=me,password=%s)/app",
            "jdbc:mysql://address=(host=db)(password=%s)/app",
            "jdbc:h2:mem:x;USER=sa;PASSWORD=%s;MODE=MySQL",
            "jdbc:h2:tcp://me:%s@db/x",
            "jdbc:h2:mem:x;INIT=CREATE USER me PASSWORD '%s'",
            "jdbc:h2:mem:x;INIT=CREATE SCHEMA s\\;CREATE USER me PASSWORD '%s';MODE=MySQL",
            "jdbc:sqlite:/var/lib/x.db?cipher=sqlcipher&key=%s",
            "jdbc:sqlite:/var/lib/x.db?hexkey=%s&mode=ro",
            "sqlite:/var/lib/x.db?key=%s",
            "jdbc:sqlite:/var/lib/x.db?password=%s",
            "jdbc:sqlite:file:x.db?hexkey=1&password=%s&mode=ro",
            "worker-lock:jdbc:mariadb://me:%s@db/app",
            "worker-lock:jdbc:postgresql://db/app?password=%s",
            "file://me:%s@host/leases",
            "file:/var/lib/leases?password=%s",
            "sqlite://me:%s@host/leases",
            "jdbc:other://me:%s@db",
            "jdbc:other:password=%s",
            "other://me:%s@db");

    static Stream<String> hostile() {
        return PLACES.stream().flatMap(place -> HOSTILE.stream().map(secret -> place.replace("%s", secret)));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    @DisplayName("with whatever characters in its password shows no part of it, and says that it has one")
    void hostilePasswords(String text) {
        StoreUrl url = StoreUrl.of(text);
        assertThat(url.toString()).doesNotContain("QXJ").doesNotContain("ZKW").startsWith(url.scheme() + ":");
        assertThat(url.holdsSecret()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "memory:",
                "file:/var/lib/leases",
                "file:///var/lib/my%20leases",
                "file:C:\\leases",
                "file:leases@home",
                "file:///home/me@corp/leases",
                "jdbc:h2:file:///home/me@corp/x",
                "sqlite:/var/lib/leases.db",
                "sqlite:leases.db",
                "redis://cache",
                "redis://cache:6379/0?prefix=a%26b:&accept=eviction,lost-writes",
                "rediss://[::1]:7000",
                "redis://[fe80::1%eth0]:6379",
                "jdbc:h2:mem:x;INIT=RUNSCRIPT FROM 'init.sql'",
                "jdbc:postgresql://db/app?sslkey=/etc/app.key",
                "redis-cluster://a:7000,b,c:7002/?prefix=x",
                "jdbc:postgresql://db:5432,standby:5432/app?user=me@corp&connectTimeout=0",
                "jdbc:postgresql:app",
                "jdbc:postgresql:///app",
                "jdbc:mariadb:sequential://db,other:3307/app?user=me",
                "jdbc:h2:mem:x;USER=sa;MODE=MySQL",
                "jdbc:h2:~/leases;DB_CLOSE_DELAY=10",
                "jdbc:h2:tcp://db:9092/~/leases",
                "jdbc:sqlite:/var/lib/x.db?journal_mode=WAL&busy_timeout=5000",
                "worker-lock:jdbc:postgresql://db/app"
            })
    @DisplayName("without a password is shown as it is")
    void nothingToHide(String text) {
        StoreUrl url = StoreUrl.of(text);
        assertThat(url).hasToString(text);
        assertThat(url.holdsSecret()).isFalse();
    }

    @Test
    @DisplayName("with an @ in a setting has no login, and is not shown, since it may have been meant as one")
    void atInSetting() {
        StoreUrl url = StoreUrl.of("jdbc:postgresql://db:5432/app?ssl=true&ApplicationName=worker@web-1");
        assertThat(url.address())
                .contains(new StoreUrl.Address(null, "db:5432", "app", "ssl=true&ApplicationName=worker@web-1"));
        assertThat(url).hasToString("jdbc:postgresql:…");
        assertThat(url.holdsSecret()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"s3cret", "//me:s3cret@host", "1s3cret:x", ":s3cret", "jdbc s3cret:x"})
    @DisplayName("without a scheme is refused without being quoted")
    void neverQuoted(String text) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> StoreUrl.of(text))
                .withMessageNotContaining("s3cret");
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
                .withMessageContaining(
                        "Add the dependency dev.leasehold:leasehold-redis in the version of leasehold-core.")
                .withMessageNotContaining("s3cret");
    }

    @Test
    void opensTheStoreBehindIt() {
        try (LeaseStore store = Stores.open("memory:")) {
            assertThat(store.name()).isEqualTo("memory");
        }
    }
}
