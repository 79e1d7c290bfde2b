package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.FaultProxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A database that cannot be had")
class UnavailableTest {
    private static final Duration LIMIT = Duration.ofMillis(600);

    @TempDir
    private Path directory;

    private TestDatabase database;
    private FaultProxy proxy;
    private JdbcLeaseStore store;

    private void open(Kind kind) {
        database = kind.fresh(directory);
        proxy = Through.proxy(database);
        store = JdbcLeaseStore.builder(database.source(Through.port(database.url(), proxy.port())))
                .callLimit(LIMIT)
                .open();
    }

    @AfterEach
    void close() {
        store.close();
        proxy.close();
        database.close();
    }

    /** The call fails with its cause, as soon as the store says it will. */
    private void assertUnavailable() {
        long start = System.nanoTime();
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> store.acquire(Ask.of(Ask.key())))
                .withCauseInstanceOf(SQLException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isLessThan(store.longestCall().plusSeconds(1));
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @Tag("slow")
    @DisplayName(
            "L08 because it is silent is said so in time, with the cause, though a connection must be opened first")
    void silent(Kind kind) {
        open(kind);
        proxy.inject(Fault.Stall.both());
        assertUnavailable();
        assertUnavailable();
        proxy.heal();
        Threads.eventually("it works again", this::works);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("because it vanished is said so at once; when it is back, the first call works")
    void vanished(Kind kind) {
        open(kind);
        Ask.take(store, Ask.key());
        proxy.inject(new Fault.RefuseConnections());
        proxy.resetAll();
        assertUnavailable();
        assertUnavailable();
        proxy.heal();
        Ask.take(store, Ask.key());
    }

    private boolean works() {
        try {
            Ask.take(store, Ask.key());
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }
}
