package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Rival;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;

/** A store on Leasehold's tables, and rivals that write to them. */
final class SqlArena implements Arena {
    private final TestDatabase database;
    private final LeaseStore store;
    private final Runnable end;
    private final boolean batches;

    /** The store is opened on what becomes of the database's source. */
    private SqlArena(TestDatabase database, LeaseStore store, boolean batches, Runnable end) {
        this.database = database;
        this.store = store;
        this.batches = batches;
        this.end = end;
    }

    /** On a database that others share; its store batches. */
    static SqlArena on(TestDatabase database, Duration callLimit) {
        return on(database, callLimit, source -> source);
    }

    /** The same, with a pool of the user's between store and database. */
    static SqlArena on(TestDatabase database, Duration callLimit, Function<DataSource, DataSource> pool) {
        return new SqlArena(database, store(database, callLimit, pool), true, () -> {});
    }

    /** On a database of its own, which is embedded and does not batch. */
    static SqlArena alone(TestDatabase database, Duration callLimit) {
        return new SqlArena(database, store(database, callLimit, source -> source), false, database::close);
    }

    private static LeaseStore store(TestDatabase database, Duration callLimit, Function<DataSource, DataSource> pool) {
        return JdbcLeaseStore.builder(pool.apply(database.source()))
                .connections(1)
                .callLimit(callLimit)
                .open();
    }

    @Override
    public LeaseStore store() {
        return store;
    }

    @Override
    public Rival rival() throws SQLException {
        return new SqlRival(database.source());
    }

    @Override
    public boolean batches() {
        return batches;
    }

    @Override
    public Duration patience() {
        return Duration.ofMillis(database.url().startsWith("jdbc:sqlite") ? 10 : 250);
    }

    @Override
    public void close() {
        store.close();
        end.run();
    }
}
