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
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Tenure;
import dev.leasehold.store.WakeUp;
import dev.leasehold.wire.WakeUps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The verb release. A lease that nobody waits for is ended by one statement. If callers may stand in line, the line is
 * read first, and the statement that ends the lease or hands it over does so only if the record's count of changes of
 * the line is still the same. PostgreSQL does both in one statement. On a server, no transaction of ours stays open
 * between two statements.
 */
final class Releasing {
    private static final int MOST_ROUNDS = 100;

    /** If the line has changed so often meanwhile, the record is locked first. */
    private static final int PATIENT_ROUNDS = 5;

    private final Statements statements;
    private final Dialect dialect;
    private final WakeUps wakeUps;
    private final Dissolving dissolving;
    private final Passing passing;
    private final KeyMemory memory;
    private final Turns turns;

    Releasing(Statements statements, Dialect dialect, WakeUps wakeUps, Passing passing, KeyMemory memory, Turns turns) {
        this.statements = statements;
        this.dialect = dialect;
        this.wakeUps = wakeUps;
        this.dissolving = new Dissolving(statements, wakeUps);
        this.passing = passing;
        this.memory = memory;
        this.turns = turns;
    }

    ReleaseResult release(Database database, ReleaseRequest request) {
        return turns.take(request.key(), () -> inTurn(database, request));
    }

    private ReleaseResult inTurn(Database database, ReleaseRequest request) {
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
        for (int round = 0; round < MOST_ROUNDS; round++) {
            if (isEnded(lane, request, parameters, round >= PATIENT_ROUNDS)) {
                return ReleaseResult.RELEASED;
            }
            Optional<ReleaseResult> answer = notEnded(lane, request, parameters);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw new StoreUnavailableException("Gave up releasing " + request.key() + " after " + MOST_ROUNDS
                + " tries: its line of waiting callers changed each time. Retry the call; otherwise the lease expires by"
                + " itself.");
    }

    /** Ends the lease or hands it over. False if it is not the caller's, or if the line changed meanwhile. */
    private boolean isEnded(Lane lane, ReleaseRequest request, Parameters parameters, boolean isLocking)
            throws SQLException {
        if (!request.cooldown().isZero()) {
            return endAndClose(lane, request, parameters);
        }
        Lane.Work<Optional<List<WakeUp>>> handOver = dialect.grant == Dialect.Grant.ONE_STATEMENT
                ? within -> handOverAtOnce(within, request, parameters)
                : within -> handOver(within, request, parameters);
        Optional<List<WakeUp>> ended = isLocking
                ? lane.atomically(within -> {
                    within.query(statements.lockRecord, parameters, row -> true);
                    return handOver.run(within);
                })
                : handOver.run(lane);
        // Only now is it committed.
        ended.ifPresent(told -> told.forEach(wakeUps::tell));
        return ended.isPresent();
    }

    /** The callers of this node to be told; empty if nothing was done. */
    private Optional<List<WakeUp>> handOverAtOnce(Lane lane, ReleaseRequest request, Parameters parameters)
            throws SQLException {
        List<Optional<WakeUp>> ended = lane.query(statements.handOver, parameters, row -> told(request.key(), row));
        return ended.isEmpty()
                ? Optional.empty()
                : Optional.of(ended.stream().flatMap(Optional::stream).toList());
    }

    /** A row without a fence is a caller in line that was passed over. */
    private Optional<WakeUp> told(Key key, ResultSet row) throws SQLException {
        String node = row.getString("node");
        if (node == null) {
            return Optional.empty();
        }
        if (row.getObject("fence") == null) {
            return wakeUps.isOurs(node)
                    ? Optional.of(new WakeUp.LookAgain(key, Nonce.parse(row.getString("nonce"))))
                    : Optional.empty();
        }
        memory.sawHeld(key, true);
        if (!wakeUps.isOurs(node)) {
            return Optional.empty();
        }
        LeaseRef lease = new LeaseRef(key, Nonce.parse(row.getString("nonce")), Fence.of(row.getLong("fence")));
        return Optional.of(new WakeUp.HandedOver(
                lease,
                Micros.toDuration(row.getLong("waited_micros")),
                Micros.toDuration(row.getLong("remaining")),
                row.getInt("attempts")));
    }

    /** A release that leaves a cooldown hands over to nobody: callers in line are told to look again. */
    private boolean endAndClose(Lane lane, ReleaseRequest request, Parameters parameters) throws SQLException {
        boolean isEnded = lane.update(statements.close, parameters) > 0;
        if (isEnded) {
            dissolving.dissolve(lane, request.key());
        }
        return isEnded;
    }

    /** A record, the first in line, and the count of changes of the line, all as they were at one moment. */
    private record Line(LeaseSnapshot snapshot, long changes) {}

    private Line line(ResultSet row) throws SQLException {
        List<Place> first = Rows.first(row);
        LeaseSnapshot seen = Rows.snapshot(row, dialect, first);
        // The server reads its clock more than once: a place that it found alive must not be over when it is judged.
        long now = first.stream().mapToLong(place -> place.untilMicros() - 1).reduce(seen.nowMicros(), Math::min);
        return new Line(new LeaseSnapshot(seen.record(), now), row.getLong("waited"));
    }

    /** The callers of this node to be told; empty if nothing was done. */
    private Optional<List<WakeUp>> handOver(Lane lane, ReleaseRequest request, Parameters parameters)
            throws SQLException {
        List<Line> found = lane.query(statements.heldAndFirst, parameters, this::line);
        if (found.isEmpty() || !endOrHandOver(lane, request, parameters, found.get(0))) {
            return Optional.empty();
        }
        String kept = found.get(0).snapshot().record().progress().fingerprint();
        boolean goesOn = request.ending() == ReleaseRequest.Ending.KEEP_ATTEMPTS && kept != null;
        return Optional.of(
                goesOn && found.get(0).changes() > 0
                        ? passOver(lane, request, parameters.text("print", kept))
                        : List.of());
    }

    /** Takes callers with another request out of the line of a run that goes on. */
    private List<WakeUp> passOver(Lane lane, ReleaseRequest request, Parameters parameters) throws SQLException {
        List<WakeUp> told = new ArrayList<>();
        List<Nonce> others = lane.query(statements.otherRequests, parameters, row -> {
            Nonce nonce = Nonce.parse(row.getString("nonce"));
            if (wakeUps.isOurs(row.getString("node"))) {
                told.add(new WakeUp.LookAgain(request.key(), nonce));
            }
            return nonce;
        });
        for (Nonce other : others) {
            lane.tidyUp(
                    statements.leaveLine,
                    lane.parameters().key("k", request.key()).text("nonce", other));
        }
        return told;
    }

    private boolean endOrHandOver(Lane lane, ReleaseRequest request, Parameters parameters, Line line)
            throws SQLException {
        LeaseSnapshot before = line.snapshot();
        Optional<LeaseRecord> ended = ended(before, request);
        if (ended.isEmpty()) {
            return false;
        }
        parameters.number("seen", line.changes());
        LeaseRecord after = ended.get();
        Tenure next = after.tenure();
        if (next == null) {
            boolean isFree = lane.update(statements.release, parameters) > 0;
            if (isFree && line.changes() > 0) {
                lane.tidyUp(statements.clearServed, parameters.text("next", request.nonce()));
            }
            return isFree;
        }
        parameters
                .text("print", after.progress().fingerprint())
                .number("life", after.expiryMicros() - before.nowMicros())
                .number("ttl", next.ttlMicros())
                .text("owner", next.owner())
                .text("next", next.nonce());
        if (dialect != Dialect.MYSQL) {
            return lane.atomically(within -> within.update(statements.handOver, parameters) > 0
                    && within.update(statements.clearServed, parameters) >= 0);
        }
        boolean isHandedOver = lane.update(statements.handOver, parameters) > 0;
        if (isHandedOver) {
            lane.tidyUp(statements.clearServed, parameters);
        }
        return isHandedOver;
    }

    /** The record after the release; empty if the lease is not the caller's. */
    private static Optional<LeaseRecord> ended(LeaseSnapshot before, ReleaseRequest request) {
        LeaseRecord after =
                LeaseRules.release(before.record(), request, before.nowMicros()).record();
        return Optional.ofNullable(after)
                .filter(ended ->
                        !ended.equals(before.record()) && request.nonce().equals(ended.tombstone()));
    }

    /** A record, and whether the caller stands in line for it. */
    private record Look(LeaseSnapshot snapshot, boolean isInLine) {}

    private Look look(ResultSet row) throws SQLException {
        return new Look(Rows.snapshot(row, dialect, List.of()), row.getObject("place") != null);
    }

    /**
     * Why the lease was not ended: released before, or not the caller's. A caller in line gives up its place. Empty if
     * the record is the caller's, or may be by now: a release may have handed it over before the place was given up.
     */
    private Optional<ReleaseResult> notEnded(Lane lane, ReleaseRequest request, Parameters parameters)
            throws SQLException {
        List<Look> found = lane.query(statements.look, parameters, this::look);
        if (found.isEmpty()) {
            return Optional.of(ReleaseResult.NOT_HELD);
        }
        LeaseSnapshot snapshot = found.get(0).snapshot();
        if (request.nonce().equals(snapshot.record().tombstone())) {
            return Optional.of(ReleaseResult.RELEASED);
        }
        if (ended(snapshot, request).isPresent()) {
            return Optional.empty();
        }
        if (!found.get(0).isInLine()) {
            return Optional.of(ReleaseResult.NOT_HELD);
        }
        leave(lane, parameters);
        return Optional.empty();
    }

    private void leave(Lane lane, Parameters parameters) throws SQLException {
        if (dialect == Dialect.POSTGRESQL) {
            lane.update(statements.leave(), parameters);
        } else if (lane.update(statements.leaveLine, parameters) > 0) {
            lane.update(statements.countLeaving, parameters);
        }
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
