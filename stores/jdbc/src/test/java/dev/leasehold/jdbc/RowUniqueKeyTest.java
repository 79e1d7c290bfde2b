package dev.leasehold.jdbc;

import static dev.leasehold.jdbc.RowRequests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The key of worker_lock")
class RowUniqueKeyTest {
    @TempDir
    private Path directory;

    private static String create(Kind kind, String keys) {
        return "CREATE TABLE worker_lock (lock_key varchar(100) NOT NULL, expires_at "
                + (kind == Kind.MARIADB ? "datetime" : "timestamp") + " NOT NULL" + keys + ")";
    }

    /** Indexes that leave room for two rows with one key. */
    private static List<String> useless(Kind kind) {
        String several = "CREATE UNIQUE INDEX several ON worker_lock (lock_key, expires_at)";
        String plain = "CREATE INDEX plain ON worker_lock (lock_key)";
        String other = "CREATE UNIQUE INDEX other ON worker_lock (expires_at)";
        String partial = "CREATE UNIQUE INDEX partial ON worker_lock (lock_key) WHERE lock_key LIKE 'a%'";
        String expression = "CREATE UNIQUE INDEX expression ON worker_lock ((lock_key || expires_at))";
        return switch (kind) {
            case POSTGRESQL ->
                List.of(
                        several,
                        plain,
                        other,
                        partial,
                        "CREATE UNIQUE INDEX expression ON worker_lock ((lock_key || extract(epoch FROM expires_at)))");
            case SQLITE -> List.of(several, plain, other, partial, expression);
            case MARIADB, H2 -> List.of(several, plain, other);
        };
    }

    private static void assertRefused(TestDatabase database) {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> JdbcLeaseStore.builder(database.source())
                        .onRows(RowMapping.workerLock())
                        .close())
                .withMessageContaining("worker_lock")
                .withMessageContaining("lock_key")
                .withMessageContaining(" UNIQUE INDEX ");
    }

    private static void assertWorks(TestDatabase database) {
        try (RowLeaseStore store = JdbcLeaseStore.builder(database.source()).onRows(RowMapping.workerLock())) {
            take(store, "job", "ann", Duration.ofMinutes(1));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("must be unique by itself: a table that could hold it twice is refused, with what to run")
    void notUnique(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "worker_lock")) {
            table.execute(create(kind, ""));
            assertRefused(database);
            for (String index : useless(kind)) {
                table.execute("DROP TABLE worker_lock", create(kind, ""), index);
                assertRefused(database);
            }
            String advice = advice(database);
            table.execute(advice);
            assertWorks(database);
        }
    }

    private static String advice(TestDatabase database) {
        try {
            JdbcLeaseStore.builder(database.source())
                    .onRows(RowMapping.workerLock())
                    .close();
        } catch (StoreException e) {
            String message = String.valueOf(e.getMessage());
            assertThat(message).contains("Run: ");
            return message.substring(message.indexOf("Run: ") + "Run: ".length());
        }
        throw new AssertionError("It was not refused.");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("may be the primary key, or have a unique index or constraint")
    void unique(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "worker_lock")) {
            table.execute(create(kind, ", PRIMARY KEY (lock_key)"));
            assertWorks(database);
            table.execute("DROP TABLE worker_lock", create(kind, ", UNIQUE (lock_key)"));
            assertWorks(database);
            table.execute(
                    "DROP TABLE worker_lock", create(kind, ""), "CREATE UNIQUE INDEX one ON worker_lock (lock_key)");
            assertWorks(database);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "POSTGRESQL")
    @DisplayName("is not made unique by an index that could not be built")
    void invalid(Kind kind) {
        try (TestDatabase database = kind.fresh(directory);
                UserTable table = new UserTable(database.source(), "worker_lock")) {
            table.execute(
                    create(kind, ""),
                    "CREATE UNIQUE INDEX one ON worker_lock (lock_key)",
                    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'one'::regclass");
            assertRefused(database);
        }
    }
}
