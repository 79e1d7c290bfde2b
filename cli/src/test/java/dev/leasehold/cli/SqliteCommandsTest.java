package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.Stores;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Commands on SQLite")
class SqliteCommandsTest extends CommandsContract {
    @TempDir
    private Path home;

    @Override
    String url() {
        return "sqlite:" + home.resolve("leases.db");
    }

    @Override
    @BeforeEach
    void open() {
        assertThat(Answer.of("schema", "--apply", "--store", url()).code()).isZero();
        super.open();
    }

    @Test
    @DisplayName("The schema is printed, and made when asked for; before that, 78 says so")
    void theSchemaIsMade() {
        String url = "sqlite:" + home.resolve("other.db");
        assertThat(Answer.of("list", "--store", url).code()).isEqualTo(78);
        Answer printed = Answer.of("schema", "--store", url);
        assertThat(printed.out()).containsIgnoringCase("create table").contains("leasehold_lease");
        assertThat(home.resolve("other.db")).doesNotExist();
        Answer applied = Answer.of("schema", "--apply", "--json", "--store", url);
        assertThat(applied.code()).isZero();
        assertThat(applied.out().strip()).isEqualTo("{\"store\":\"" + url + "\",\"applied\":true}");
        assertThat(Answer.of("list", "--store", url).code()).isZero();
    }

    @Test
    @DisplayName("A store of files needs no schema")
    void filesNeedNoSchema() {
        Answer answer = Answer.of("schema", "--store", "file:" + home.resolve("leases"));
        assertThat(answer.code()).isZero();
        assertThat(answer.err()).contains("nothing has to be created");
    }

    @Test
    @Tag("slow")
    @DisplayName("A list longer than a page is listed whole, with one heading")
    void longListsArePaged() {
        try (LeaseStore store = Stores.open(url())) {
            for (int i = 0; i < 1_001; i++) {
                store.acquire(
                        AcquireRequest.of(Key.of("k" + i), new Nonce(1, i), Owner.of("ann"), Duration.ofMinutes(5)));
            }
        }
        assertThat(Answer.of("list", "--store", url()).out().lines())
                .hasSize(1_002)
                .filteredOn(line -> line.startsWith("KEY"))
                .hasSize(1);
        assertThat(Answer.of("list", "--json", "--store", url()).out().split("\"key\":", -1))
                .hasSize(1_002);
    }

    @Test
    @DisplayName("The doctor says what is wrong with a store that cannot be used, and exits with 78")
    void theDoctorNamesTheFault() {
        Answer answer = Answer.of("doctor", "--store", "sqlite:" + home.resolve("none.db"));
        assertThat(answer.code()).isEqualTo(78);
        assertThat(answer.out()).contains("✗  settings");
    }
}
