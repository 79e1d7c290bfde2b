package dev.leasehold.benchmarks;

import java.net.URISyntaxException;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** The floor: hand-written statements with nothing around them, prepared once on a connection per thread. */
final class FloorContestant
        implements Contestant.Grows, Contestant.KeepsMany, Contestant.Waits, Contestant.Runs, Contestant.Starts {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public void createTables(DataSource source, StoreKind store) throws SQLException {
        Sqls.run(source, FloorSql.of(store).create(), FloorRuns.table(store));
        Sqls.run(source, store == StoreKind.POSTGRES ? NotifiedLine.tables() : PolledLine.tables(store));
    }

    @Override
    public String fill(StoreKind store) {
        return FloorSql.of(store).fill();
    }

    /** Reads before it writes only where refusals are measured: elsewhere that would be one trip too many. */
    @Override
    public Node<Worker.Locker> locking(DataSource source, StoreKind store, Cell cell) throws SQLException {
        return store == StoreKind.SQLITE
                ? OneByOne.node(FloorStatements.on(source, store, cell))
                : new Node<>(() -> FloorStatements.on(source, store, cell));
    }

    @Override
    public Node<Worker.Keeper> keeping(DataSource source, StoreKind store, Cell cell) {
        return new Node<>(() -> new FloorKeeper(source.getConnection(), store, cell));
    }

    @Override
    public Node<Worker.Waiter> waiting(DataSource source, StoreKind store, Cell cell) {
        return store == StoreKind.POSTGRES
                ? new Node<>(() -> new NotifiedLine(source.getConnection(), true))
                : new Node<>(() -> new PolledLine(source.getConnection(), store));
    }

    @Override
    public ProcessBuilder command(Bed bed, String key) throws SQLException, URISyntaxException {
        return Programs.bare(bed, key, List.of());
    }

    @Override
    public Node<Worker.Runner> running(DataSource source, StoreKind store, Cell cell) {
        return new Node<>(() -> new FloorRuns(source.getConnection(), cell == Cell.W6));
    }
}
