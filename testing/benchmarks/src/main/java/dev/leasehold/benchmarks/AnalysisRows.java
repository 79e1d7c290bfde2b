package dev.leasehold.benchmarks;

import java.sql.SQLException;

/** The table of the analysis worker, with analyses that are finished. PostgreSQL. */
final class AnalysisRows {
    /** The number of rows for each contestant. */
    static final int FINISHED = 1_000;

    private AnalysisRows() {}

    /** Creates the worker's table, and rows whose ids begin with the contestant's name. */
    static void create(Bed bed, String contestant) throws SQLException {
        Sqls.run(
                bed.source(),
                """
                CREATE TABLE IF NOT EXISTS analyses (
                    id                varchar(128) NOT NULL PRIMARY KEY,
                    status            varchar(10) NOT NULL,
                    text              text NOT NULL,
                    language          varchar(8),
                    words             bigint,
                    sentences         bigint,
                    readability       double precision,
                    top_words         text,
                    error             text,
                    attempts          int,
                    lock_owner        varchar(255),
                    lock_expires_at   timestamptz,
                    lock_heartbeat_at timestamptz,
                    lock_fence        bigint,
                    lock_nonce        varchar(32)
                )""",
                """
                INSERT INTO analyses
                    (id, status, text, language, words, sentences, readability, top_words, attempts, lock_fence)
                SELECT '{contestant}-' || i, 'READY', repeat('The mill by the river is old. ', 20), 'en', 140, 20, 7.5,
                    'the mill by river is old', 1, 1
                FROM generate_series(0, {last}) AS i""".replace("{contestant}", contestant).replace("{last}", Integer.toString(FINISHED - 1)),
                "VACUUM ANALYZE analyses");
    }
}
