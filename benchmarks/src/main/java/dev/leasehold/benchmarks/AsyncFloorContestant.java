package dev.leasehold.benchmarks;

import java.sql.SQLException;
import javax.sql.DataSource;

/** A second floor of W3, which does not wait for the disk to stand in line. */
final class AsyncFloorContestant implements Contestant.Waits {
    @Override
    public String name() {
        return "floor-async";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.POSTGRES;
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        Sqls.run(source, FloorSql.of(store).create());
        Sqls.run(source, NotifiedLine.tables());
    }

    @Override
    public Node<Worker.Waiter> waiting(DataSource source, StoreKind store, Cell cell) {
        return new Node<>(() -> new NotifiedLine(source.getConnection(), false));
    }
}
