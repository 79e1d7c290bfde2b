package dev.leasehold.benchmarks;

import java.net.URISyntaxException;
import java.sql.SQLException;
import java.util.List;

/** The floor: hand-written statements with nothing around them, prepared once on a connection per thread. */
final class FloorContestant
        implements Contestant.Grows, Contestant.KeepsMany, Contestant.Queues, Contestant.Runs, Contestant.Starts {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store.isSql();
    }

    @Override
    public void createTables(Bed bed) throws SQLException {
        StoreKind store = bed.store;
        Sqls.run(bed.source(), FloorSql.of(store).create(), FloorRuns.table(store));
        Sqls.run(bed.source(), store == StoreKind.POSTGRES ? NotifiedLine.tables() : PolledLine.tables(store));
    }

    @Override
    public String fill(StoreKind store) {
        return FloorSql.of(store).fill();
    }

    /** Reads before it writes only where refusals are measured: elsewhere that would be one trip too many. */
    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) throws SQLException {
        return bed.store == StoreKind.SQLITE
                ? OneByOne.node(FloorStatements.on(bed, cell))
                : new Node<>(() -> FloorStatements.on(bed, cell));
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return new Node<>(() -> new FloorKeeper(new SqlRenewals(bed.source().getConnection(), bed.store), cell));
    }

    @Override
    public Node<Worker.Waiter> waiting(Bed bed, Cell cell) {
        return bed.store == StoreKind.POSTGRES
                ? new Node<>(() -> new NotifiedLine(bed.source().getConnection(), true))
                : new Node<>(() -> new PolledLine(bed.source().getConnection(), bed.store));
    }

    @Override
    public Node<Worker.Waiter> queueing(Bed bed, Cell cell) throws SQLException {
        return LocalLine.node(FloorStatements.on(bed, cell));
    }

    @Override
    public ProcessBuilder command(Bed bed, String key) throws SQLException, URISyntaxException {
        return Programs.bare(bed, key, List.of());
    }

    @Override
    public Node<Worker.Runner> running(Bed bed, Cell cell) {
        return new Node<>(() -> new FloorRuns(bed.source().getConnection(), cell == Cell.W6));
    }
}
