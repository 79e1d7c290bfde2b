package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.ask;
import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A mapping")
class RowMappingTest {
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final RowMapping GOOD = RowMapping.of("jobs").key("id").expiry("until");

    @TempDir
    private Path directory;

    private UrlDataSource source;
    private UserTable table;

    @BeforeEach
    void create() {
        source = new UrlDataSource("jdbc:h2:" + directory.resolve("own") + ";DB_CLOSE_DELAY=5", null, null);
        table = new UserTable(source, "jobs");
        table.execute(
                "CREATE TABLE jobs (id int PRIMARY KEY, until bigint, owner varchar(20), number int, small char(31),"
                        + " never timestamp NOT NULL DEFAULT now(), flag boolean, \"my Column-1\" varchar(9))");
    }

    @AfterEach
    void close() {
        table.close();
    }

    private RowLeaseStore open(RowMapping mapping) {
        return JdbcLeaseStore.builder(source).onRows(mapping);
    }

    private void assertRefused(RowMapping mapping, String... parts) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> open(mapping).close())
                .satisfies(refusal -> assertThat(refusal.getMessage()).contains(parts));
    }

    @Test
    @DisplayName("with a wrong column is refused at the start, naming it, its purpose and the columns there are")
    void wrongColumn() {
        assertRefused(GOOD.owner("ownr"), "jobs", "ownr", "owner", "ID, UNTIL, OWNER, NUMBER");
        assertRefused(GOOD.key("idd"), "idd");
        assertRefused(GOOD.since("at", TTL), "at", "since");
        assertRefused(GOOD.doneWhen("status", "READY"), "status", "done");
    }

    @Test
    @DisplayName("with a wrong table or schema is refused at the start, naming it")
    void wrongTable() {
        assertRefused(RowMapping.of("jobz").key("id").expiry("until"), "jobz");
        assertRefused(RowMapping.of("nowhere.jobs").key("id").expiry("until"), "nowhere.jobs");
        open(RowMapping.of("public.jobs").key("id").expiry("until")).close();
    }

    @Test
    @DisplayName("with a column of the wrong type is refused at the start, naming both")
    void wrongType() {
        assertRefused(GOOD.key("flag"), "FLAG", "boolean");
        assertRefused(GOOD.expiry("number"), "NUMBER", "integer");
        assertRefused(GOOD.fence("number"), "NUMBER", "64-bit");
        assertRefused(GOOD.owner("number"), "NUMBER", "text");
        assertRefused(GOOD.nonce("small"), "SMALL", "32");
        assertRefused(GOOD.heartbeat("flag"), "FLAG");
        assertRefused(GOOD.expiry("never"), "NEVER", "NULL");
        assertRefused(GOOD.doneWhenNotNull("owner"), "OWNER", "done", "timestamp");
    }

    @Test
    @DisplayName("that is incomplete or contradicts itself is refused, saying what to do")
    void incomplete() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open(RowMapping.of("jobs").expiry("until")))
                .withMessageContaining("key(column)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open(RowMapping.of("jobs").key("id")))
                .withMessageContaining("expiry(column)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open(GOOD.owner("UNTIL")))
                .withMessageContaining("UNTIL");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GOOD.since("until", Duration.ZERO))
                .withMessageContaining("PT0S");
    }

    @Test
    @DisplayName("takes names only that can stand in quotes: SQL is refused before it reaches a database")
    void names() {
        for (String name :
                List.of("", "a\"b", "a`b", "a;b", "a:b", "a?b", "a'b", "{now}", "1a", "a\nb", "x".repeat(129))) {
            assertThatIllegalArgumentException().as(name).isThrownBy(() -> GOOD.owner(name));
            assertThatIllegalArgumentException().as(name).isThrownBy(() -> RowMapping.of(name));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> RowMapping.of("a.b.c"));
    }

    @Test
    @DisplayName("finds names in any case, and names that need quotes; none of Leasehold's tables are needed")
    void spelling() {
        table.execute("INSERT INTO jobs (id) VALUES (7)");
        try (RowLeaseStore store =
                open(RowMapping.of("Jobs").key("Id").expiry("UNTIL").owner("my Column-1"))) {
            take(store, "7", "ann", TTL);
            assertThat(store.name()).isEqualTo("h2:Jobs");
        }
        Map<String, String> row = table.row("id", 7);
        assertThat(row).containsEntry("my column-1", "ann").containsKey("until");
    }

    @Test
    @DisplayName("of numbers takes keys for rows only as the database writes them")
    void numbers() {
        table.execute("INSERT INTO jobs (id) VALUES (7)");
        try (RowLeaseStore store = open(GOOD)) {
            for (String key : List.of("07", "+7", "7.0", "seven", "99999999999999999999")) {
                assertThat(store.acquire(ask(key, "ann", TTL))).as(key).isEqualTo(new AcquireResult.Missing());
            }
            take(store, "7", "ann", TTL);
        }
    }

    @Test
    @DisplayName("whose table loses a column of the lease later is an error that says so")
    void columnIsDropped() {
        try (RowLeaseStore store = open(GOOD)) {
            table.execute("ALTER TABLE jobs DROP COLUMN until");
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> store.acquire(ask("7", "ann", TTL)))
                    .withMessageContaining("has no column until");
        }
    }

    @Test
    @DisplayName("in camel case keeps the capitals of a name that has no underscore")
    void camelCase() {
        RowMapping camel = GOOD.camelCase();
        assertThat(List.of("top_words", "TOP_WORDS", "topWords", "TopWords", "WORDS").stream()
                        .map(camel::fieldOf))
                .containsExactly("topWords", "topWords", "topWords", "topWords", "words");
    }

    @Test
    @DisplayName("works for a user of H2 without the rights of an administrator")
    void withoutAdminRights() {
        table.execute(
                "INSERT INTO jobs (id) VALUES (7)",
                "CREATE USER worker PASSWORD 'secret'",
                "GRANT SELECT, UPDATE ON jobs TO worker");
        UrlDataSource worker = new UrlDataSource("jdbc:h2:" + directory.resolve("own"), "worker", "secret");
        try (RowLeaseStore store = JdbcLeaseStore.builder(worker).onRows(GOOD)) {
            take(store, "7", "ann", TTL);
        }
    }
}
