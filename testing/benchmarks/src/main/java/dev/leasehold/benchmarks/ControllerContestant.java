package dev.leasehold.benchmarks;

import java.sql.SQLException;

/** A controller written by hand: {@link AnalysisController}. */
final class ControllerContestant implements Contestant.Serves {
    @Override
    public String name() {
        return "floor";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.POSTGRES;
    }

    @Override
    public void createTables(Bed bed) throws SQLException {
        AnalysisRows.create(bed, name());
    }

    @Override
    public ProcessBuilder application(Bed bed) throws Exception {
        return Programs.controller(bed);
    }
}
