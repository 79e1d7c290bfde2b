package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The floor of W3: hand-written waiting, as good as the store allows. */
final class LineFloorContestant implements Contestant {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return cell == Cell.W3;
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        Sqls.run(source, FloorSql.of(store).create());
        try (Connection connection = source.getConnection()) {
            if (store == StoreKind.POSTGRES) {
                NotifiedLine.createTables(connection);
            } else {
                PolledLine.createTables(connection, store);
            }
        }
    }

    @Override
    public Node open(DataSource source, StoreKind store, Cell cell) {
        return new Node() {
            @Override
            public Worker worker() throws SQLException {
                Connection connection = source.getConnection();
                return store == StoreKind.POSTGRES ? new NotifiedLine(connection) : new PolledLine(connection, store);
            }

            @Override
            public void close() {}
        };
    }
}
