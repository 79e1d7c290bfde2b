package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Ask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A SQLite file in trouble")
class SqliteTroubleTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("that is full says so, and not that tables are missing or that there is nothing to roll back")
    void full() {
        try (TestDatabase database = TestDatabase.sqlite(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source(database.url() + "&max_page_count=24"))) {
            HistoryNote note = new HistoryNote(
                    Ask.key(), HistoryKind.ACQUIRED, null, null, "x".repeat(900), "somebody", Duration.ZERO);
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            store.history().orElseThrow().append(Collections.nCopies(50, note));
                        }
                    })
                    .satisfies(error -> assertThat(error)
                            .isNotInstanceOf(MissingSchemaException.class)
                            .hasMessageContaining("full"));
        }
    }

    @Test
    @DisplayName("that was deleted is not renewed on, and no empty file is left in its place")
    void deleted() throws IOException {
        try (TestDatabase database = TestDatabase.sqlite(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
            LeaseRef lease = Ask.take(store, Ask.key());
            assertThat(store.renew(List.of(lease))).hasSize(1);
            delete();
            for (int i = 0; i < 3; i++) {
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> store.renew(List.of(lease)))
                        .withMessageContaining("leases.db");
            }
            assertThat(directory.resolve("leases.db")).doesNotExist();
        }
    }

    @Test
    @DisplayName("that was replaced by a new one is noticed at the next renewal: the lease is lost")
    void replaced() throws IOException {
        try (TestDatabase database = TestDatabase.sqlite(directory);
                JdbcLeaseStore store = JdbcLeaseStore.of(database.source())) {
            LeaseRef lease = Ask.take(store, Ask.key());
            delete();
            JdbcLeaseStore.createSchema(database.source());
            try (JdbcLeaseStore rival = JdbcLeaseStore.of(database.source())) {
                LeaseRef taken = Ask.take(rival, lease.key());
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> store.renew(List.of(lease)));
                assertThat(store.renew(List.of(lease))).as("on the new file").isEmpty();
                assertThat(store.renew(List.of(taken))).hasSize(1);
            }
        }
    }

    private void delete() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }
}
