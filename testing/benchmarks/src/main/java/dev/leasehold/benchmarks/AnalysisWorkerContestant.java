package dev.leasehold.benchmarks;

import java.sql.SQLException;

/** The application {@code apps/analysis-worker}. */
final class AnalysisWorkerContestant implements Contestant.Serves {
    @Override
    public String name() {
        return "leasehold";
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
        return Programs.analysisWorker(bed);
    }
}
