package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The history in a table of its own.
 *
 * <p>A number is drawn when a row is written, but the row is seen when its transaction commits: were two to write at the
 * same time, the larger number could be seen first, and whoever follows would miss the smaller one. So writers take
 * turns, from before the number is drawn until the commit. PostgreSQL has a lock for that; on MySQL and H2 it is the one
 * row of {@code leasehold_schema}, which nobody else locks; SQLite has one writer at a time anyway.
 */
final class JdbcHistory implements History {
    /** Of advisory locks, which all users of a database share: "lease-hi". */
    private static final long TURN = 0x6c656173652d6869L;

    private static final String COLUMNS = "k, happened, kind, owner, fence, reason, actor";

    private final Database database;
    private final Dialect dialect;
    private final Sql insert;
    private final Sql takeTurn;
    private final Sql forget;

    JdbcHistory(Database database) {
        this.database = database;
        this.dialect = database.dialect;
        this.insert = sql(dialect == Dialect.POSTGRESQL ? insertTogether() : insertOne());
        this.takeTurn = sql("SELECT version FROM leasehold_schema FOR UPDATE");
        this.forget = sql(
                dialect == Dialect.MYSQL
                        ? "DELETE FROM leasehold_history WHERE happened < {now} - :age ORDER BY happened LIMIT :limit"
                        : "DELETE FROM leasehold_history WHERE id IN (SELECT id FROM leasehold_history"
                                + " WHERE happened < {now} - :age ORDER BY happened LIMIT :limit)");
    }

    private static String insertOne() {
        return "INSERT INTO leasehold_history (" + COLUMNS + ")"
                + " VALUES (:k, {now} - :ago, :kind, :owner, :fence, :reason, :actor)";
    }

    /** Numbers are drawn for rows that come out of the join, and so after the lock was taken. */
    private static String insertTogether() {
        return "WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(" + TURN + "))"
                + " INSERT INTO leasehold_history (" + COLUMNS + ")"
                + " SELECT r.k, {now} - r.ago, r.kind, r.owner, r.fence, r.reason, r.actor"
                + " FROM turn, unnest(:k, :ago, :kind, :owner, :fence, :reason, :actor)"
                + " WITH ORDINALITY AS r(k, ago, kind, owner, fence, reason, actor, place) ORDER BY r.place";
    }

    @Override
    public void append(List<HistoryNote> notes) {
        if (notes.isEmpty()) {
            return;
        }
        if (dialect == Dialect.POSTGRESQL) {
            database.runAside(lane -> lane.update(insert, together(lane, notes)));
        } else {
            database.runAsideAtomically(lane -> insertInTurn(lane, notes));
        }
    }

    private static Parameters together(Lane lane, List<HistoryNote> notes) {
        return lane.parameters()
                .texts("k", notes, HistoryNote::key)
                .numbers("ago", notes, note -> Micros.of(note.ago()))
                .texts("kind", notes, HistoryNote::kind)
                .texts("owner", notes, HistoryNote::owner)
                .numbers("fence", notes, JdbcHistory::fence)
                .texts("reason", notes, HistoryNote::reason)
                .texts("actor", notes, HistoryNote::actor);
    }

    private int insertInTurn(Lane lane, List<HistoryNote> notes) throws SQLException {
        if (dialect != Dialect.SQLITE) {
            lane.query(takeTurn, lane.parameters(), row -> true);
        }
        PreparedStatement statement = lane.prepare(insert);
        statement.clearBatch(); // What an attempt left that collided with another.
        for (HistoryNote note : notes) {
            lane.parameters()
                    .key("k", note.key())
                    .time("ago", note.ago())
                    .text("kind", note.kind())
                    .text("owner", note.owner())
                    .number("fence", fence(note))
                    .text("reason", note.reason())
                    .text("actor", note.actor())
                    .bind(insert, statement);
            statement.addBatch();
        }
        return statement.executeBatch().length;
    }

    private static long fence(HistoryNote note) {
        Fence fence = note.fence();
        return fence == null ? 0 : fence.value();
    }

    @Override
    public List<HistoryEntry> read(HistoryRequest request) {
        Sql query = query(request);
        return database.runAside(lane -> lane.query(query, parameters(lane, request), this::entry));
    }

    /** Only what is asked for is in the statement, so that each gets the index that suits it. */
    private Sql query(HistoryRequest request) {
        boolean isForward = request.order() == HistoryRequest.Order.OLDEST_FIRST;
        StringBuilder text = new StringBuilder("SELECT id, " + COLUMNS + " FROM leasehold_history WHERE ");
        text.append(isForward ? "id > :last" : "id < :last");
        if (request.key() != null) {
            text.append(" AND k = :k");
        } else if (!request.prefix().isEmpty()) {
            text.append(" AND k >= :prefix");
            text.append(Prefix.end(request.prefix()) == null ? "" : " AND k < :end");
        }
        if (!request.kinds().isEmpty()) {
            text.append(IntStream.range(0, request.kinds().size())
                    .mapToObj(i -> ":" + kindName(i))
                    .collect(Collectors.joining(", ", " AND kind IN (", ")")));
        }
        return sql(text + (isForward ? " ORDER BY id" : " ORDER BY id DESC") + " LIMIT :limit");
    }

    private static Parameters parameters(Lane lane, HistoryRequest request) {
        boolean isFirst = request.order() == HistoryRequest.Order.NEWEST_FIRST && request.last() == 0;
        Parameters parameters = lane.parameters()
                .number("last", isFirst ? Long.MAX_VALUE : request.last())
                .number("limit", request.limit())
                .keyText("prefix", request.prefix())
                .keyText("end", Prefix.end(request.prefix()));
        Key key = request.key();
        if (key != null) {
            parameters.key("k", key);
        }
        List<HistoryKind> kinds = List.copyOf(request.kinds());
        for (int i = 0; i < kinds.size(); i++) {
            parameters.text(kindName(i), kinds.get(i));
        }
        return parameters;
    }

    private static String kindName(int i) {
        return "kind" + (char) ('A' + i);
    }

    private HistoryEntry entry(ResultSet row) throws SQLException {
        String owner = row.getString("owner");
        long fence = row.getLong("fence");
        return new HistoryEntry(
                row.getLong("id"),
                row.getLong("happened"),
                Rows.key(row, dialect),
                new HistoryKind(row.getString("kind")),
                owner == null ? null : Owner.of(owner),
                fence == 0 ? null : Fence.of(fence),
                row.getString("reason"),
                row.getString("actor"));
    }

    @Override
    public int forget(Duration olderThan, int limit) {
        return database.runAside(lane ->
                lane.update(forget, lane.parameters().time("age", olderThan).number("limit", limit)));
    }

    private Sql sql(String template) {
        return Sql.of(template.replace("{now}", dialect.now));
    }
}
