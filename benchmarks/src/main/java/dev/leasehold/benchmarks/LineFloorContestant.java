package dev.leasehold.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * The floor of W3: hand-written waiting. On PostgreSQL there are two: one that does what comes to mind, and one that does
 * not wait for the disk to stand in line.
 */
final class LineFloorContestant implements Contestant {
    private final String name;
    private final boolean isLineDurable;

    LineFloorContestant(String name, boolean isLineDurable) {
        this.name = name;
        this.isLineDurable = isLineDurable;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean takesPart(Cell cell, StoreKind store) {
        return cell == Cell.W3 && (isLineDurable || store == StoreKind.POSTGRES);
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        if (!isLineDurable) {
            return; // The other one has made them.
        }
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
                return store == StoreKind.POSTGRES
                        ? new NotifiedLine(connection, isLineDurable)
                        : new PolledLine(connection, store);
            }

            @Override
            public void close() {}
        };
    }
}
