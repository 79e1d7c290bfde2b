package dev.leasehold.benchmarks;

import javax.sql.DataSource;

/** A fresh database, and how to reach it. Closing drops it. */
abstract class Bed implements AutoCloseable {
    final StoreKind store;
    final String url;
    /** Nobody, where the database has no users. */
    final String user;

    final String password;
    private final Runnable end;

    Bed(StoreKind store, String url, String user, String password, Runnable end) {
        this.store = store;
        this.url = url;
        this.user = user;
        this.password = password;
        this.end = end;
    }

    /** A new connection each time, where SQL is spoken. Whoever wants a pool makes one of this. */
    DataSource source() {
        throw store.speaksNoSql();
    }

    /** Makes so many free records of a contestant's, many at a time. */
    abstract void fill(Contestant.Grows contestant, int records) throws Exception;

    /** Another way to the same database. */
    abstract CountedWay counted() throws Exception;

    @Override
    public void close() {
        end.run();
    }
}
