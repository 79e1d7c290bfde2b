package dev.leasehold.benchmarks;

import java.sql.SQLException;

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
    public void createTables(Bed bed) throws SQLException {
        Sqls.run(bed.source(), FloorSql.of(bed.store).create());
        Sqls.run(bed.source(), NotifiedLine.tables());
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return new Node<>(() -> new NotifiedLine(bed.source().getConnection(), false));
    }
}
