package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import dev.leasehold.tck.Ask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A database by its URL")
class JdbcStoreProviderTest {
    @TempDir
    private Path directory;

    private StoreUrl sqlite() {
        return StoreUrl.of("sqlite:" + directory.resolve("leases.db"));
    }

    private static void isUsable(StoreUrl url) {
        try (LeaseStore store = Stores.open(url)) {
            assertThat(store.acquire(Ask.of(Key.of("job")))).isInstanceOf(AcquireResult.Granted.class);
        }
    }

    @Test
    @DisplayName("sqlite:PATH is in WAL mode, and a writer waits for another")
    void sqliteFile() throws SQLException {
        StoreUrl url = sqlite();
        Stores.createSchema(url);
        isUsable(url);
        UrlDataSource source = new UrlDataSource(SqliteFile.jdbcUrl(url), null, null);
        assertThat(Sessions.ask(source, "PRAGMA journal_mode")).isEqualTo("wal");
        assertThat(Sessions.ask(source, "PRAGMA busy_timeout")).isEqualTo("5000");
    }

    @Test
    @DisplayName("sqlite:PATH is made whole by whoever comes first, and nothing is left beside it")
    void manyMakeOneFile() {
        StoreUrl url = sqlite();
        List<CompletableFuture<Void>> makers = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.runAsync(() -> {
                    Stores.createSchema(url);
                    try (LeaseStore store = Stores.open(url)) {
                        assertThat(store.find(Key.of("job"))).isEmpty();
                    }
                }))
                .toList();
        makers.forEach(CompletableFuture::join);
        isUsable(url);
        assertThat(directory.toFile().list()).containsExactly("leases.db");
    }

    @Test
    @DisplayName("sqlite:PATH is not made by opening it")
    void aMissingFileStaysMissing() {
        assertThatExceptionOfType(MissingSchemaException.class).isThrownBy(() -> Stores.open(sqlite()));
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @DisplayName("sqlite:PATH that is a link to a file which is not there is refused, and nothing is made")
    void danglingLink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("leases.db"), directory.resolve("nowhere.db"));
        StoreUrl url = sqlite();
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.createSchema(url))
                .withMessageContaining(link + " is a link to a file that is not there");
        assertThat(directory.toFile().list()).containsExactly("leases.db");
    }

    @Test
    @DisplayName("The schema is text for people, and made on demand")
    void schema() {
        StoreUrl url = StoreUrl.of("jdbc:h2:" + directory.resolve("leases") + ";DB_CLOSE_DELAY=10");
        StoreProvider provider = Stores.provider(url);
        assertThat(provider.schema(url).orElseThrow()).contains("CREATE TABLE", "leasehold_lease");
        assertThatExceptionOfType(MissingSchemaException.class).isThrownBy(() -> Stores.open(url));
        provider.createSchema(url);
        provider.createSchema(url);
        isUsable(url);
    }

    @Test
    @DisplayName("User and password may stand beside the URL")
    void userAndPassword() {
        try (TestDatabase database = TestDatabase.postgres(18)) {
            isUsable(StoreUrl.of(database.url()).withUser(database.user(), database.password()));
        }
    }

    @Test
    @DisplayName("worker-lock: in front of a URL means the existing table")
    void workerLock() throws SQLException {
        try (TestDatabase database = TestDatabase.mariaDb()) {
            StoreUrl url = StoreUrl.of("worker-lock:" + database.url()).withUser(database.user(), database.password());
            assertThatExceptionOfType(StoreException.class).isThrownBy(() -> Stores.open(url));
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> Stores.createSchema(url))
                    .withMessageContaining("worker_lock");
            Sessions.execute(
                    database.source(),
                    "CREATE TABLE worker_lock (lock_key VARCHAR(100) NOT NULL PRIMARY KEY, expires_at DATETIME NOT NULL,"
                            + " KEY (expires_at)) ENGINE=InnoDB");
            isUsable(url);
            assertThat(Sessions.ask(database.source(), "SELECT lock_key FROM worker_lock"))
                    .isEqualTo("job");
        }
    }

    @Test
    @DisplayName("A driver that is missing is named as the dependency to add")
    void missingDriver() {
        assertThatExceptionOfType(StoreException.class)
                .isThrownBy(() -> Stores.open("jdbc:mysql://db/app?password=s3cret"))
                .withMessageContaining("com.mysql:mysql-connector-j")
                .withMessageNotContaining("s3cret");
    }

    @Test
    @DisplayName("A path that cannot be one is refused")
    void badPaths() {
        for (String url : List.of("sqlite:", "sqlite:x?cache=shared", "worker-lock:nothing")) {
            assertThatExceptionOfType(StoreException.class).as(url).isThrownBy(() -> Stores.open(url));
        }
    }
}
