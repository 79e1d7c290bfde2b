package dev.leasehold.benchmarks;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.jdbc.RowMapping;
import dev.leasehold.once.Once;
import dev.leasehold.once.RecordCodec;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Fields;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.sql.SQLException;

/** Leasehold on the user's own rows, as its users call it. */
final class LeaseholdRowsContestant implements Contestant.Keeps, Contestant.Runs {
    private static final String TABLE = "jobs";
    private static final RowMapping MAPPING = RowMapping.of(TABLE)
            .key("id")
            .owner("locked_by")
            .expiry("locked_until")
            .fence("lock_fence")
            .nonce("lock_nonce")
            .doneWhen("status", "READY")
            .failedWhen("status", "FAILED")
            .reads("answer")
            .writes("answer");
    private static final RunSpec<String> SPEC = RunSpec.of(
            RecordCodec.of(row -> String.valueOf(row.text("answer")), answer -> Fields.of("answer", answer)));

    @Override
    public String name() {
        return "leasehold-rows";
    }

    @Override
    public boolean knows(StoreKind store) {
        return store == StoreKind.POSTGRES;
    }

    @Override
    public void createTables(Bed bed) throws SQLException {
        JobRows.create(bed, TABLE, name());
    }

    @Override
    public Node<Worker.Locker> locking(Bed bed, Cell cell) {
        return LeaseholdContestant.locking(open(bed), cell);
    }

    @Override
    public Node<Worker.Keeper> keeping(Bed bed, Cell cell) {
        return LeaseholdContestant.keeping(open(bed), cell);
    }

    @Override
    public Node<Worker.Runner> running(Bed bed, Cell cell) {
        return LeaseholdContestant.node(
                open(bed),
                leases -> key -> Once.on(leases, Key.of(key), SPEC)
                        .run(run -> key)
                        .toOptional()
                        .orElse(""));
    }

    private static LeaseStore open(Bed bed) {
        return JdbcLeaseStore.builder(bed.source()).connections(4).onRows(MAPPING);
    }
}
