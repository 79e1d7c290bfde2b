package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.WakeUp;
import dev.leasehold.wire.WakeUps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The verb release. Where one statement can end the lease and hand it to the first in line, it does. Elsewhere one
 * statement ends it if nobody waits; if somebody does, a transaction hands it over.
 */
final class Releasing {
    private final Statements statements;
    private final Dialect dialect;
    private final WakeUps wakeUps;
    private final Dissolving dissolving;
    private final Passing passing;
    private final KeyMemory memory;

    Releasing(Statements statements, Dialect dialect, WakeUps wakeUps, Passing passing, KeyMemory memory) {
        this.statements = statements;
        this.dialect = dialect;
        this.wakeUps = wakeUps;
        this.dissolving = new Dissolving(statements, wakeUps);
        this.passing = passing;
        this.memory = memory;
    }

    ReleaseResult release(Database database, ReleaseRequest request) {
        Key key = request.key();
        Fence fence = request.fence();
        boolean isQuick = fence != null && isWipe(request) && !memory.isWaitedFor(key);
        memory.forget(key);
        if (isQuick && database.run(passing, Passing.Step.giving(request)).isDone()) {
            memory.sawFree(key, Objects.requireNonNull(fence));
            return ReleaseResult.RELEASED;
        }
        return database.run(lane -> release(lane, request));
    }

    private static boolean isWipe(ReleaseRequest request) {
        return request.cooldown().isZero() && request.ending() == ReleaseRequest.Ending.WIPE;
    }

    private ReleaseResult release(Lane lane, ReleaseRequest request) throws SQLException {
        Parameters parameters = parameters(lane, request);
        if (!request.cooldown().isZero()) {
            return endAndClose(lane, request, parameters.flag("evenIfWaiting", true));
        }
        if (dialect.grant == Dialect.Grant.ONE_STATEMENT) {
            return handOverAtOnce(lane, request, parameters);
        }
        if (!isWipe(request) && lane.update(statements.release, parameters.flag("evenIfWaiting", false)) > 0) {
            return ReleaseResult.RELEASED;
        }
        return lane.atomically(within -> handOver(within, request, parameters));
    }

    private ReleaseResult handOverAtOnce(Lane lane, ReleaseRequest request, Parameters parameters) throws SQLException {
        List<Optional<WakeUp>> ended =
                lane.query(statements.handOver, parameters, row -> handedOver(request.key(), row));
        ended.forEach(wakeUp -> wakeUp.ifPresent(wakeUps::tell));
        return ended.isEmpty() ? notHeld(lane, request, parameters) : ReleaseResult.RELEASED;
    }

    private Optional<WakeUp> handedOver(Key key, ResultSet row) throws SQLException {
        String node = row.getString("node");
        if (node == null) {
            return Optional.empty();
        }
        memory.sawHeld(key, true);
        if (!wakeUps.isOurs(node)) {
            return Optional.empty();
        }
        LeaseRef lease = new LeaseRef(key, Nonce.parse(row.getString("nonce")), Fence.of(row.getLong("fence")));
        return Optional.of(new WakeUp.HandedOver(
                lease,
                Micros.toDuration(row.getLong("waited")),
                Micros.toDuration(row.getLong("remaining")),
                row.getInt("attempts")));
    }

    /** A release that leaves a cooldown hands over to nobody: whoever waits is told to look again. */
    private ReleaseResult endAndClose(Lane lane, ReleaseRequest request, Parameters parameters) throws SQLException {
        if (lane.update(statements.release, parameters) == 0) {
            return notHeld(lane, request, parameters);
        }
        dissolving.dissolve(lane, request.key());
        return ReleaseResult.RELEASED;
    }

    private ReleaseResult handOver(Lane lane, ReleaseRequest request, Parameters parameters) throws SQLException {
        List<LeaseSnapshot> held =
                lane.query(statements.lockOurs, parameters, row -> Rows.snapshot(row, dialect, List.of()));
        if (held.isEmpty()) {
            return notHeld(lane, request, parameters);
        }
        lane.update(statements.forgetLapsed, parameters);
        List<Place> line = lane.query(statements.firstInLine, parameters, Rows::place);
        LeaseSnapshot snapshot = held.get(0);
        LeaseRecord record = snapshot.record().withLine(line);
        LeaseRecord next =
                LeaseRules.release(record, request, snapshot.nowMicros()).record();
        if (line.isEmpty() || next == null || next.tenure() == null) {
            lane.update(statements.release, parameters.flag("evenIfWaiting", true));
            return ReleaseResult.RELEASED;
        }
        Place place = line.get(0);
        lane.update(
                statements.handOver,
                lane.parameters()
                        .key("k", request.key())
                        .number("attempts", next.progress().attempts())
                        .text("fingerprint", next.progress().fingerprint())
                        .flag("keep", request.ending() == ReleaseRequest.Ending.KEEP_ATTEMPTS)
                        .number("life", Math.min(place.ttlMicros(), Micros.of(LeaseRules.HAND_OVER)))
                        .number("ttl", place.ttlMicros())
                        .text("owner", place.owner())
                        .text("tombstone", request.nonce())
                        .text("nonce", place.nonce()));
        lane.update(
                statements.leaveLine, lane.parameters().key("k", request.key()).text("nonce", place.nonce()));
        return ReleaseResult.RELEASED;
    }

    /** Not this one's: released before, or never. A caller in line gives up its place. */
    private ReleaseResult notHeld(Lane lane, ReleaseRequest request, Parameters parameters) throws SQLException {
        lane.update(statements.leaveLine, parameters);
        return lane.query(statements.look, parameters, row -> Rows.snapshot(row, dialect, List.of())).stream()
                        .anyMatch(found -> request.nonce().equals(found.record().tombstone()))
                ? ReleaseResult.RELEASED
                : ReleaseResult.NOT_HELD;
    }

    private Parameters parameters(Lane lane, ReleaseRequest request) {
        return lane.parameters()
                .key("k", request.key())
                .text("nonce", request.nonce())
                .fence("fence", request.fence())
                .flag("forget", request.ending() == ReleaseRequest.Ending.FORGET)
                .flag("keep", request.ending() == ReleaseRequest.Ending.KEEP_ATTEMPTS)
                .time("cooldown", request.cooldown())
                .text("node", wakeUps.node());
    }
}
