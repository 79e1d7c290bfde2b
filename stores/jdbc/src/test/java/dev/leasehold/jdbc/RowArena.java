package dev.leasehold.jdbc;

import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.Rival;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A store on rows of the user's, in a database of its own, and rivals that write to them. */
final class RowArena implements Arena {
    private final TestDatabase database;
    private final RivalRows rows;
    private final LeaseStore store;

    RowArena(TestDatabase database, RivalRows rows, Duration callLimit) throws SQLException {
        this.database = database;
        this.rows = rows;
        Sessions.execute(database.source(), rows.table());
        this.store = JdbcLeaseStore.builder(database.source())
                .connections(1)
                .callLimit(callLimit)
                .onRows(rows.mapping());
    }

    @Override
    public LeaseStore store() {
        return store;
    }

    @Override
    public Rival rival() throws SQLException {
        return new RowRival(database.source(), rows);
    }

    @Override
    public boolean makesRecords() {
        return rows == RivalRows.WORKER_LOCK;
    }

    @Override
    public @Nullable LeaseRecord kept(LeaseRecord record) {
        return rows.kept(record);
    }

    @Override
    public Set<Detail> details() {
        return rows.details();
    }

    @Override
    public Duration patience() {
        return Duration.ofMillis(database.url().startsWith("jdbc:sqlite") ? 10 : 250);
    }

    @Override
    public void close() {
        store.close();
        database.close();
    }
}
