package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
}
