package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer of a row that this process saw finished before. Calls that come together are one statement. A row that
 * is not finished after all, or that is there twice, is left to {@link RowAcquiring}.
 */
final class RowReplaying extends RowBatch<RowReplaying.Asking, RowReplaying.Replay> {
    private final RowTable table;
    private final RowStatements statements;
    private final RowAcquiring acquiring;

    RowReplaying(RowTable table, RowStatements statements, RowAcquiring acquiring) {
        super(table.dialect);
        this.table = table;
        this.statements = statements;
        this.acquiring = acquiring;
    }

    /** A row that is asked for its answer. */
    record Asking(AcquireRequest request, Object row) {}

    /** The answer, or null if the row has none. */
    record Replay(@Nullable AcquireResult settled) {
        private static final Replay NONE = new Replay(null);
    }

    @Override
    public Object key(Asking asking) {
        return asking.request().key();
    }

    @Override
    public Replay alone(Lane lane, Asking asking) throws SQLException {
        AcquireRequest request = asking.request();
        return RowAcquiring.record(lane, statements, table, asking.row(), request.key())
                .map(sight -> answer(sight, request))
                .orElse(Replay.NONE);
    }

    @Override
    List<Optional<Replay>> inOneStatement(Lane lane, List<Asking> all) throws SQLException {
        Map<String, RowSight> seen = new HashMap<>();
        Set<String> doubled = new HashSet<>();
        int places = statements.places(all.size());
        Parameters parameters = statements.rows(
                lane,
                places,
                all.stream().map(Asking::row).toList(),
                all.stream().map(asking -> table.text(asking.request().key())).toList());
        for (RowSight sight :
                lane.query(statements.recordMany.of(places), parameters, row -> RowSight.readRecord(row, table))) {
            if (seen.put(sight.keyText(), sight) != null) {
                doubled.add(sight.keyText());
            }
        }
        seen.keySet().removeAll(doubled);
        return all.stream()
                .map(asking -> Optional.ofNullable(
                                seen.get(table.text(asking.request().key())))
                        .map(sight -> answer(sight, asking.request())))
                .toList();
    }

    private Replay answer(RowSight sight, AcquireRequest request) {
        return sight.isFinished() ? new Replay(acquiring.judge(sight, request)) : Replay.NONE;
    }
}
