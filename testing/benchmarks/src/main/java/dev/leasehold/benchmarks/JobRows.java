package dev.leasehold.benchmarks;

import java.sql.SQLException;

/** Tables of jobs that leases and runs on the user's own rows work on, one for each contestant. PostgreSQL. */
final class JobRows {
    /** As many as a cell asks for, and as many again for each round of R5. */
    private static final int RACED = 1_000;

    private static final int KEPT = 10_000;
    private static final int KEEPING_ROUNDS = 3;

    private JobRows() {}

    static void create(Bed bed, String table, String contestant) throws SQLException {
        Sqls.run(
                bed.source(),
                "CREATE TABLE IF NOT EXISTS " + table
                        + " (id text PRIMARY KEY, answer text, status text, locked_by text, locked_until timestamptz,"
                        + " lock_fence bigint, lock_nonce text) WITH (fillfactor = 50)",
                rows(table, contestant + "-", RACED));
        for (int round = 0; round < KEEPING_ROUNDS; round++) {
            Sqls.run(bed.source(), rows(table, "kept-" + round + "-", KEPT));
        }
        Sqls.run(bed.source(), "VACUUM ANALYZE " + table);
    }

    private static String rows(String table, String prefix, int number) {
        return "INSERT INTO " + table + " (id) SELECT '" + prefix + "' || i FROM generate_series(0, " + (number - 1)
                + ") AS i ON CONFLICT DO NOTHING";
    }
}
