package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Renewal;
import dev.leasehold.tck.Ask;
import dev.leasehold.tck.Threads;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On a server, where triggers of the user's may take their time. SQLite has one writer at a time. */
@Tag("slow")
@DisplayName("A renewal of several leases that stalls inside its statement")
class RenewalOrderTest {
    @TempDir
    private Path directory;

    private TestDatabase database;
    private JdbcLeaseStore store;

    private void open(Kind kind) {
        database = kind.fresh(directory);
        store = JdbcLeaseStore.of(database.source());
    }

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private void stallAt(Kind kind, Key key) throws SQLException {
        if (kind == Kind.POSTGRESQL) {
            Sessions.execute(database.source(), """
                    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM pg_sleep(2); RETURN NEW; END $$""");
            Sessions.execute(
                    database.source(),
                    "CREATE TRIGGER stall BEFORE UPDATE ON leasehold_lease FOR EACH ROW WHEN (NEW.k = '" + key
                            + "') EXECUTE FUNCTION stall()");
        } else {
            Sessions.execute(
                    database.source(),
                    "CREATE TRIGGER stall BEFORE UPDATE ON leasehold_lease FOR EACH ROW SET @stalled = IF(NEW.k = '"
                            + key + "', sleep(2), 0)");
        }
    }

    private boolean isStalled(Kind kind) {
        String stalled = kind == Kind.POSTGRESQL
                ? "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
                : "SELECT count(*) FROM information_schema.processlist WHERE state = 'User sleep' AND db = database()";
        try {
            return Sessions.ask(database.source(), stalled).equals("1");
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private long expiry(Key key) {
        return store.find(key).orElseThrow().record().expiryMicros();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("does not move back the expiry of one that another renewal has extended meanwhile")
    void overtaken(Kind kind) throws Exception {
        open(kind);
        LeaseRef slow = Ask.take(store, Key.of("a"));
        LeaseRef overtaken = Ask.take(store, Key.of("b"));
        stallAt(kind, slow.key());
        Threads.Running<List<Renewal>> stalling = Threads.start(() -> store.renew(List.of(slow, overtaken)));
        Threads.eventually("stalled", () -> isStalled(kind));
        assertThat(store.renew(List.of(overtaken))).hasSize(1);
        long extended = expiry(overtaken.key());
        assertThat(stalling.task().isDone()).as("overtaken").isFalse();
        assertThat(stalling.get()).hasSize(2);
        assertThat(expiry(overtaken.key())).isGreaterThanOrEqualTo(extended);
    }
}
