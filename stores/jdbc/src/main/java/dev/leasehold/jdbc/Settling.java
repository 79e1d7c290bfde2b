package dev.leasehold.jdbc;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.Settlement;
import dev.leasehold.wire.WakeUps;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The verb settle, on a connection of ours or within the caller's transaction. */
final class Settling {
    private final Statements statements;
    private final Dialect dialect;
    private final Dissolving line;
    private final KeyMemory memory;

    Settling(Statements statements, Dialect dialect, WakeUps wakeUps, KeyMemory memory) {
        this.statements = statements;
        this.dialect = dialect;
        this.line = new Dissolving(statements, wakeUps);
        this.memory = memory;
    }

    SettleResult settle(Database database, SettleRequest request) {
        SettleResult result = database.run(lane -> settle(lane, request, this::changeAndTell, line::dissolve));
        if (result.isSettled() && !request.settlement().isCheckpoint()) {
            // Who asks next is to be told the answer, so it is read first.
            memory.sawSettled(request.lease().key(), request.settlement().state());
        }
        return result;
    }

    /** On the caller's own connection, whose last insert id is not ours to change. */
    SettleResult settleWithin(Lane callersOwn, SettleRequest request) throws SQLException {
        return settle(callersOwn, request, this::change, line::dissolveWithin);
    }

    /** Settles, and says whether somebody may stand in line; empty if nothing was changed. */
    private interface Change {
        Optional<Boolean> make(Lane lane, Parameters parameters) throws SQLException;
    }

    /** Ends the line. */
    private interface End {
        void of(Lane lane, Key key) throws SQLException;
    }

    private Optional<Boolean> change(Lane lane, Parameters parameters) throws SQLException {
        return lane.update(statements.settle, parameters) == 0 ? Optional.empty() : Optional.of(true);
    }

    private Optional<Boolean> changeAndTell(Lane lane, Parameters parameters) throws SQLException {
        return switch (dialect.passing) {
            case ARRAYS, ONE_BY_ONE ->
                lane.query(statements.settleAndTell, parameters, row -> row.getLong("waited") > 0).stream()
                        .findFirst();
            case LISTS -> {
                OptionalLong told = lane.updateForNumber(statements.settleAndTell, parameters);
                yield told.isPresent() ? Optional.of(told.getAsLong() > Statements.NOBODY_WAITED) : Optional.empty();
            }
            case UNKNOWN -> change(lane, parameters);
        };
    }

    private SettleResult settle(Lane lane, SettleRequest request, Change change, End end) throws SQLException {
        LeaseRef lease = request.lease();
        Settlement settlement = request.settlement();
        Parameters parameters = lane.parameters()
                .key("k", lease.key())
                .text("nonce", lease.nonce())
                .fence("fence", lease.fence())
                .text("state", Rows.code(settlement.state()))
                .bytes("payload", settlement.payload())
                .flag("empty", settlement.payload() == null)
                .time("retention", settlement.retention())
                .flag("amends", request.amends())
                .number("number", request.checkpointNumber());
        Optional<Boolean> isWaitedFor = change.make(lane, parameters);
        if (isWaitedFor.isEmpty()) {
            return whyNot(lane, request, parameters);
        }
        if (isWaitedFor.get() && !settlement.isCheckpoint()) {
            end.of(lane, lease.key());
        }
        return SettleResult.SETTLED;
    }

    /** It may have been settled like this before: then the reply was lost. Or a newer checkpoint is there. */
    private SettleResult whyNot(Lane lane, SettleRequest request, Parameters parameters) throws SQLException {
        return lane.query(statements.current, parameters, row -> Rows.snapshot(row, dialect, List.of())).stream()
                .findFirst()
                .map(found -> LeaseRules.settle(found.record(), request, found.nowMicros())
                        .result())
                .orElse(SettleResult.SUPERSEDED);
    }
}
