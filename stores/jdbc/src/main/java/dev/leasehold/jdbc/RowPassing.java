package dev.leasehold.jdbc;

import dev.leasehold.jdbc.RowMapping.Role;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Micros;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The quick way to a row that is free, on PostgreSQL: one small statement, and many of them are one statement too. A row
 * that is not free, or that another transaction has locked, is left as it is, for {@link RowAcquiring} to deal with.
 */
final class RowPassing extends RowBatch<RowPassing.Taking, RowPassing.Passage> {
    private final RowTable table;
    private final RowStatements statements;
    private final RowMemory memory;
    private final RowGrants grants;
    private final KeyMemory keys;

    RowPassing(RowTable table, RowStatements statements, RowMemory memory, KeyMemory keys) {
        super(table.dialect);
        this.table = table;
        this.statements = statements;
        this.memory = memory;
        this.keys = keys;
        this.grants = new RowGrants(table, statements, memory);
    }

    /** A free row that is to be locked. */
    record Taking(AcquireRequest request, Object row) {}

    /** What became of it: null if the row was left as it is. */
    record Passage(@Nullable AcquireResult granted) {
        private static final Passage NONE = new Passage(null);
    }

    /** Whether the row is free, most likely. A key that this process has not seen is taken to be as the last such key was. */
    boolean isLikely(AcquireRequest request) {
        boolean isPlain = request.unmoved() == null
                && memory.find(request.nonce()).isEmpty()
                && table.isKeyUnique()
                && !table.mapping.makesRows();
        return isPlain && (keys.isUnknown(request.key()) ? keys.isGuessedFree() : !keys.isTaken(request.key()));
    }

    @Override
    public Object key(Taking taking) {
        return taking.request().key();
    }

    @Override
    public Passage alone(Lane lane, Taking taking) throws SQLException {
        AcquireRequest request = taking.request();
        Parameters parameters = table.parameters(lane, taking.row())
                .text("nonce", request.nonce())
                .text("owner", table.ownerText(request.owner()))
                .time("ttl", request.ttl());
        try {
            return lane.query(statements.takeFree, parameters, row -> granted(row, request)).stream()
                    .findFirst()
                    .orElse(Passage.NONE);
        } catch (SQLException e) {
            if (SqlErrors.isConflict(e, table.dialect)) {
                return Passage.NONE;
            }
            throw e;
        }
    }

    @Override
    List<Optional<Passage>> inOneStatement(Lane lane, List<Taking> all) throws SQLException {
        Map<String, AcquireRequest> byKey = new HashMap<>();
        all.forEach(taking -> byKey.put(taking.request().key().value(), taking.request()));
        Parameters parameters = table.marks(lane.parameters())
                .texts("rows", all, taking -> table.text(taking.request().key()))
                .texts("nonces", all, taking -> taking.request().nonce())
                .texts("owners", all, taking -> table.ownerText(taking.request().owner()))
                .numbers("ttls", all, taking -> Micros.of(taking.request().ttl()));
        Map<String, Passage> passed = new HashMap<>();
        lane.query(statements.takeFreeMany, parameters, row -> {
            String key = table.mapping.keyPrefix() + row.getString("k");
            AcquireRequest request = byKey.get(key);
            return request == null ? Passage.NONE : passed.merge(key, granted(row, request), (one, two) -> one);
        });
        return all.stream()
                .map(taking ->
                        Optional.of(passed.getOrDefault(taking.request().key().value(), Passage.NONE)))
                .toList();
    }

    /** The lease on the row that the statement just took. */
    private Passage granted(ResultSet row, AcquireRequest request) throws SQLException {
        int attempts = table.has(Role.ATTEMPTS) ? row.getInt("seen_attempts") : 1;
        RowSight sight = new RowSight(
                row.getLong("now"),
                row.getLong("clock"),
                row.getString("k"),
                false,
                row.getLong("stamp"),
                table.has(Role.OWNER) ? table.ownerText(request.owner()) : null,
                table.has(Role.FENCE) ? row.getLong("seen_fence") : null,
                table.has(Role.NONCE) ? request.nonce().toString() : null,
                new RowContent(false, attempts, table.canRun() ? table.fields().read(row) : null));
        return new Passage(grants.granted(request, Optional.empty(), sight));
    }
}
