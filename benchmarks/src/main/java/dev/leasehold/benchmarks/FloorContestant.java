package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/** The floor: {@link FloorSql} with nothing around it, prepared once on a connection per thread; on SQLite on one. */
final class FloorContestant implements Contestant {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return cell != Cell.W3 && cell != Cell.W5 && !cell.isOnce();
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        Sqls.run(source, FloorSql.of(store).create());
    }

    @Override
    public String fill(StoreKind store) {
        return FloorSql.of(store).fill();
    }

    /** Reads before it writes only where refusals are measured: elsewhere that would be one trip too many. */
    @Override
    public Node open(DataSource source, StoreKind store, Cell cell) throws SQLException {
        return store == StoreKind.SQLITE ? inTurns(source, store, cell) : sideBySide(source, store, cell);
    }

    private static Node sideBySide(DataSource source, StoreKind store, Cell cell) {
        return new Node() {
            @Override
            public Worker worker() throws SQLException {
                return new FloorStatements(source.getConnection(), FloorSql.of(store), cell);
            }

            @Override
            public void close() {}
        };
    }

    private static Node inTurns(DataSource source, StoreKind store, Cell cell) throws SQLException {
        Worker shared = new FloorStatements(source.getConnection(), FloorSql.of(store), cell);
        ReentrantLock turn = new ReentrantLock();
        return new Node() {
            @Override
            public Worker worker() {
                return new OneByOne(shared, turn);
            }

            @Override
            public void close() {}
        };
    }
}
