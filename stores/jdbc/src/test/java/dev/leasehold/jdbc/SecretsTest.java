package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.StoreUrl;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A password in a URL that does not work")
class SecretsTest {
    private static String trace(Runnable opening) {
        try {
            opening.run();
        } catch (StoreException e) {
            StringWriter text = new StringWriter();
            e.printStackTrace(new PrintWriter(text, true));
            return text.toString();
        }
        throw new AssertionError("Not refused");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgres://h/db?user=u&password=s3cret",
                "jdbc:postgresql://h:notaport/db?user=u&password=s3cret",
                "jdbc:postgresql://h:notaport/db?user=u&sslpassword=s3cret&x=y",
                "jdbc:postgresql://u:s3cret@127.0.0.1/db",
                "jdbc:mariadb://h:notaport/db?user=u&password=s3cret",
                "jdbc:mariadb://u:s3cret@127.0.0.1/db",
                "jdbc:mariadb:bogus?password=s3cret",
                "jdbc:mariadb:bogus?password=s3cret%21",
                "jdbc:h2:tcp://localhost:1/x;USER=sa;PASSWORD=s3cret",
                "jdbc:h2:mem:x;NOPE=1;PASSWORD=s3cret",
                "jdbc:h2:nowhere;PASSWORD=s3cret"
            })
    @DisplayName("is neither in the message nor in those of the causes")
    void hidden(String url) {
        assertThat(trace(() -> JdbcLeaseStore.of(url, null, null).close())).doesNotContain("s3cret");
        assertThat(trace(() -> JdbcLeaseStore.createSchema(url, null, null))).doesNotContain("s3cret");
        assertThat(trace(() -> new JdbcStoreProvider().open(StoreUrl.of(url)).close()))
                .doesNotContain("s3cret");
    }

    /** What separates the parts of URLs, in passwords. */
    private static final List<String> HOSTILE = List.of(
            "QXJ/ZKW",
            "QXJ@ZKW",
            "QXJ@ZKW/1",
            "QXJ?@ZKW",
            "QXJ?ZKW",
            "@QXJZKW@",
            ":QXJ:ZKW:",
            "QXJ;ZKW",
            "QXJ&ZKW",
            "QXJ&x=ZKW",
            "QXJ;X=ZKW",
            "QXJ ZKW",
            "QXJ#ZKW",
            "QXJ\\;ZKW",
            "QXJ%ZKW",
            "QXJ%zzZKW",
            "QXJ%2FZKW",
            "QXJ=ZKW",
            "QXJ密ZKW🔑",
            "12/QXJ/ZKW",
            "QXJ\"'ZKW");

    private static final List<String> PLACES = List.of(
            "jdbc:nowhere://u:%s@h/db",
            "jdbc:nowhere:db?password=%s",
            "jdbc:postgresql://u:%s@127.0.0.1:1/db",
            "jdbc:postgresql://127.0.0.1:1/db?user=u&password=%s",
            "jdbc:postgresql://127.0.0.1:notaport/db?user=u&password=%s&ssl=true",
            "jdbc:mariadb://u:%s@127.0.0.1:1/db",
            "jdbc:mariadb://127.0.0.1:1/db?user=u&password=%s",
            "jdbc:mariadb://address=(host=127.0.0.1)(port=1)(password=%s)/db",
            "jdbc:mysql://u:%s@127.0.0.1:1/db",
            "jdbc:h2:nowhere;USER=sa;PASSWORD=%s",
            "jdbc:h2:tcp://u:%s@127.0.0.1:1/x",
            "jdbc:h2:mem:x;NOPE=1;PASSWORD=%s;MODE=MySQL",
            "jdbc:sqlite:/nowhere/x.db?password=%s",
            "worker-lock:jdbc:mariadb://u:%s@127.0.0.1:1/db",
            "sqlite://u:%s@127.0.0.1/x.db");

    static Stream<String> hostile() {
        return PLACES.stream().flatMap(place -> HOSTILE.stream().map(secret -> place.replace("%s", secret)));
    }

    @ParameterizedTest
    @MethodSource("hostile")
    @DisplayName("is in no message and no log, in whole or in part, whatever characters it has")
    void hostilePasswords(String url) {
        List<String> logged = Collections.synchronizedList(new ArrayList<>());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                logged.add(new SimpleFormatter().format(entry));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger root = Logger.getLogger("");
        root.addHandler(handler);
        try {
            if (url.startsWith("jdbc:")) {
                assertThat(trace(() -> JdbcLeaseStore.of(url, null, null).close()))
                        .doesNotContain("QXJ")
                        .doesNotContain("ZKW");
            }
            assertThat(trace(
                            () -> new JdbcStoreProvider().open(StoreUrl.of(url)).close()))
                    .doesNotContain("QXJ")
                    .doesNotContain("ZKW");
        } finally {
            root.removeHandler(handler);
        }
        assertThat(String.join("\n", logged)).doesNotContain("QXJ").doesNotContain("ZKW");
    }

    @Test
    @DisplayName("in front of the host is refused where the driver takes none there, with what to write instead")
    void loginOfNoUse() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> JdbcLeaseStore.of("jdbc:mariadb://u:s3cret@127.0.0.1/db", null, null))
                .isNotInstanceOf(StoreUnavailableException.class)
                .withMessageContaining("?user=…&password=…")
                .withMessageContaining("jdbc:mariadb://u:***@127.0.0.1/db")
                .withNoCause();
    }

    @Test
    @DisplayName("is starred out, and the rest of the message stays, with its SQLSTATE and its stack trace")
    void rest() {
        Secrets secrets = Secrets.in("jdbc:x://u:a%21@h/db?password=s3cret&ssl=true", "beside");
        SQLException failed = new SQLException(
                "Bad: jdbc:x://u:a%21@h/db?password=s3cret&ssl=true, port \"a!@h\", given beside",
                "08001", 17, new IllegalStateException("password s3cret"));
        SQLException hidden = secrets.hide(failed);
        assertThat(hidden.getMessage())
                .isEqualTo("Bad: jdbc:x://u:***@h/db?password=***&ssl=true, port \"***@h\", given ***");
        assertThat(hidden.getSQLState()).isEqualTo("08001");
        assertThat(hidden.getErrorCode()).isEqualTo(17);
        assertThat(hidden.getStackTrace()).isEqualTo(failed.getStackTrace());
        assertThat(hidden.getCause()).hasMessageContaining("IllegalStateException: password ***");
    }

    @Test
    @DisplayName("is not looked for in parts of words, and an error without it stays the one it was")
    void untouched() {
        SQLException failed = new SQLException("The server is not there", "08001", new SQLException("there"));
        assertThat((Object) Secrets.in("jdbc:x:?password=the", null).hide(failed))
                .isSameAs(failed);
        assertThat((Object) Secrets.in("jdbc:x:?password=", "").hide(failed)).isSameAs(failed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/app?ApplicationName=worker@web-1",
                "jdbc:postgresql://db/app?sslrootcert=/home/me@corp/root.crt",
                "jdbc:mariadb://db/app?serverSslCert=/home/me@corp/root.crt"
            })
    @DisplayName("is not seen in a setting that has an @, which the driver takes")
    void atInSetting(String url) {
        assertThatCode(() -> UrlDataSource.checkLogin(url)).doesNotThrowAnyException();
    }
}
