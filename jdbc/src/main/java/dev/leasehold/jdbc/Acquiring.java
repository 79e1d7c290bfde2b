package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.store.Tenure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The verb acquire. A statement decides whether the lease is granted; why it was not is read from the row and put into
 * words by {@link LeaseRules}, as in every other store. A refusal writes nothing.
 */
final class Acquiring implements SqlBatch<AcquireRequest, AcquireResult> {
    private static final int MOST_ROUNDS = 100;

    private final Statements statements;
    private final Dialect dialect;
    private final String node;
    private final Passing passing;
    private final KeyMemory memory;

    Acquiring(Statements statements, Dialect dialect, String node, Passing passing, KeyMemory memory) {
        this.statements = statements;
        this.dialect = dialect;
        this.node = node;
        this.passing = passing;
        this.memory = memory;
    }

    AcquireResult acquire(Database database, AcquireRequest request) {
        AcquireResult result = quickly(database, request)
                .orElseGet(() -> isPlain(request) && dialect == Dialect.POSTGRESQL
                        ? database.run(this, request)
                        : database.run(lane -> alone(lane, request)));
        if (result instanceof AcquireResult.Held) {
            memory.sawHeld(request.key(), request.waits());
        } else if (result instanceof AcquireResult.Settled settled) {
            memory.sawSettled(request.key(), settled.settlement().state());
        } else {
            memory.forget(request.key());
        }
        return result;
    }

    /** What this process released lately is free still, most likely. */
    private Optional<AcquireResult> quickly(Database database, AcquireRequest request) {
        Optional<Fence> last = memory.free(request.key());
        if (last.isEmpty() || !passing.isKnown() || !isPlain(request)) {
            return Optional.empty();
        }
        Passing.Passage passage = database.run(passing, Passing.Step.taking(request, last.get()));
        return passage.grant(request);
    }

    /** Whether it asks for nothing out of the ordinary. */
    private static boolean isPlain(AcquireRequest request) {
        return !request.waits()
                && !request.ignoresCooldown()
                && request.lockDelay().isZero()
                && request.unmoved() == null;
    }

    @Override
    public Object key(AcquireRequest request) {
        return request.key();
    }

    /**
     * What a statement saw: the record, until when the caller's place in line lives, if it has one, whether the record
     * is marked as one that is waited for, and whether the statement has just taken it for the caller.
     */
    private record Sight(LeaseSnapshot snapshot, OptionalLong place, boolean isMarked, boolean isTaken) {
        /** Empty if the record would let the caller in, but the statement did not, or not yet. */
        Optional<AcquireResult> judge(AcquireRequest request) {
            AcquireResult result = LeaseRules.acquire(snapshot.record(), request, snapshot.nowMicros())
                    .result();
            boolean isGranted = result instanceof AcquireResult.Granted;
            return isGranted && !isHeldBy(request.nonce()) ? Optional.empty() : Optional.of(result);
        }

        boolean isFree() {
            return snapshot.record().state() == State.FREE;
        }

        private boolean isHeldBy(Nonce nonce) {
            Tenure tenure = snapshot.record().tenure();
            return snapshot.record().state() == State.HELD
                    && tenure != null
                    && tenure.nonce().equals(nonce);
        }
    }

    @Override
    public AcquireResult alone(Lane lane, AcquireRequest request) throws SQLException {
        Parameters parameters = parameters(lane, request);
        // Whoever has to wait, most likely, stands in line first, and saves a look.
        boolean standsFirst = request.waits() && dialect == Dialect.POSTGRESQL && memory.isHeld(request.key());
        Standing standing = standsFirst ? standAndLook(lane, request, parameters) : Standing.NONE;
        if (standing.answer().isPresent()) {
            return standing.answer().get();
        }
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<Sight> seen = ask(lane, request, parameters);
            if (seen.isPresent()) {
                Optional<AcquireResult> answer = seen.get().judge(request);
                if (answer.isPresent() && isInPlace(lane, request, parameters, seen.get(), answer.get())) {
                    if (standing.isNew() && !(answer.get() instanceof AcquireResult.Held)) {
                        lane.update(statements.leaveLine, parameters);
                    }
                    return answer.get();
                }
            }
        }
        throw new StoreUnavailableException("The record changed hands all the time: key " + request.key() + ".");
    }

    /** A place in line, whether it was made just now, and what its caller can be told at once. */
    private record Standing(boolean isNew, Optional<AcquireResult> answer) {
        private static final Standing NONE = new Standing(false, Optional.empty());
    }

    /**
     * Stands in line and looks at the record, both as they were at one moment. Its answer stands if others are in line:
     * a release that missed this place hands over to them, and the next one finds it. Without them the record might come
     * free with nobody told, so that it must be looked at again.
     */
    private Standing standAndLook(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        return one(lane.query(statements.standAndLook(), parameters, row -> standing(row, request)))
                .orElse(new Standing(true, Optional.empty()));
    }

    private Standing standing(ResultSet row, AcquireRequest request) throws SQLException {
        Sight sight = sight(row);
        boolean isNew = row.getBoolean("is_new");
        return isNew && sight.isMarked() && row.getBoolean("is_behind")
                ? new Standing(true, sight.judge(request).filter(AcquireResult.Held.class::isInstance))
                : new Standing(isNew, Optional.empty());
    }

    /** One round: takes the lease or sees why not. Empty if somebody else was a moment quicker. */
    private Optional<Sight> ask(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        return switch (dialect.grant) {
            case ONE_STATEMENT -> askAtOnce(lane, request, parameters);
            case UPSERT -> lookFirstThenUpsert(lane, request, parameters);
            case UPDATE_FIRST -> updateFirst(lane, request, parameters);
        };
    }

    private Optional<Sight> askAtOnce(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        if (memory.isTaken(request.key())) {
            Optional<Sight> before = lookFirst(lane, request, parameters);
            if (isRefused(before, request)) {
                return before;
            }
        } else if (isPlain(request)) {
            Optional<Sight> quick =
                    one(lane.query(statements.takeOrSee(), parameters, row -> quickSight(row, request)));
            boolean isAnswered = quick.isEmpty() || quick.get().isTaken() || isRefused(quick, request);
            if (isAnswered) {
                return quick;
            }
        }
        return one(lane.query(statements.acquire, parameters, this::sight));
    }

    private Sight quickSight(ResultSet row, AcquireRequest request) throws SQLException {
        long fence = row.getLong("taken");
        return row.wasNull()
                ? new Sight(snapshot(row), OptionalLong.empty(), false, false)
                : taken(request, Fence.of(fence));
    }

    private Optional<Sight> lookFirstThenUpsert(Lane lane, AcquireRequest request, Parameters parameters)
            throws SQLException {
        Optional<Sight> guessed = takeUnseen(lane, request, parameters);
        if (guessed.isPresent()) {
            return guessed;
        }
        Optional<Sight> before = look(lane, parameters);
        if (isRefused(before, request)) {
            return before;
        }
        memory.guessFree(before.filter(Sight::isFree).isPresent());
        OptionalLong place = before.map(Sight::place).orElse(OptionalLong.empty());
        return one(lane.query(statements.acquire, parameters, this::snapshot))
                .map(snapshot -> new Sight(snapshot, place, false, true));
    }

    private Optional<Sight> updateFirst(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        Optional<Sight> guessed = takeUnseen(lane, request, parameters);
        if (guessed.isEmpty() && dialect == Dialect.MYSQL && memory.isUnknown(request.key())) {
            // A new record, and its fence comes back with the count, in one trip.
            OptionalLong fence = lane.updateForNumber(statements.insertIfMissing, parameters);
            guessed = taken(request, fence);
        }
        if (guessed.isPresent()) {
            return guessed;
        }
        Optional<Sight> before = lookFirst(lane, request, parameters);
        if (before.isEmpty()) {
            lane.update(statements.insert, parameters);
        } else if (isRefused(before, request)) {
            return before;
        } else if (lane.update(statements.acquire, parameters) == 0) {
            return Optional.empty();
        }
        memory.guessFree(before.filter(Sight::isFree).isPresent());
        return look(lane, parameters);
    }

    /** A record that this process never saw is free, most likely, if the last such record was: one small statement. */
    private Optional<Sight> takeUnseen(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        boolean isLikely = memory.isGuessedFree() && memory.isUnknown(request.key());
        if (!isLikely || !passing.isKnown() || !isPlain(request)) {
            return Optional.empty();
        }
        OptionalLong fence = passing.takeAtOnce(lane, parameters);
        memory.guessFree(fence.isPresent());
        return taken(request, fence);
    }

    private static Optional<Sight> taken(AcquireRequest request, OptionalLong fence) {
        return fence.isEmpty() ? Optional.empty() : Optional.of(taken(request, Fence.of(fence.getAsLong())));
    }

    /** The record just after this call took it while it was free. */
    private static Sight taken(AcquireRequest request, Fence fence) {
        long now = fence.value();
        AcquireRequest first = AcquireRequest.of(request.key(), request.nonce(), request.owner(), request.ttl());
        LeaseRules.Change<AcquireResult> change =
                LeaseRules.acquire(null, first.withFingerprint(request.fingerprint()), now);
        return new Sight(
                new LeaseSnapshot(Objects.requireNonNull(change.record()), now), OptionalLong.empty(), false, true);
    }

    private static boolean isRefused(Optional<Sight> seen, AcquireRequest request) {
        return seen.flatMap(sight -> sight.judge(request))
                .filter(result -> !(result instanceof AcquireResult.Granted))
                .isPresent();
    }

    /** Whoever does not wait and is refused has no use for the line, and need not look at it. */
    private Optional<Sight> lookFirst(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        return request.waits()
                ? look(lane, parameters)
                : one(lane.query(
                        statements.glance,
                        parameters,
                        row -> new Sight(snapshot(row), OptionalLong.empty(), false, false)));
    }

    private Optional<Sight> look(Lane lane, Parameters parameters) throws SQLException {
        return one(lane.query(statements.look, parameters, this::sight));
    }

    private static <T> Optional<T> one(List<T> rows) {
        return rows.stream().findFirst();
    }

    private Sight sight(ResultSet row) throws SQLException {
        long until = row.getLong("place");
        OptionalLong place = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(until);
        return new Sight(snapshot(row), place, row.getInt("waited") == 1, false);
    }

    private LeaseSnapshot snapshot(ResultSet row) throws SQLException {
        return Rows.snapshot(row, dialect, List.of());
    }

    /**
     * Whoever waits and was refused has a place in line afterwards, and the record a mark, so that a release looks at
     * the line; whoever was granted the lease has no place. If place or mark were not there before, the record may have
     * come free meanwhile without anybody to hand it to, so it must be looked at once more.
     *
     * @return whether the answer stands
     */
    private boolean isInPlace(
            Lane lane, AcquireRequest request, Parameters parameters, Sight sight, AcquireResult answer)
            throws SQLException {
        if (answer instanceof AcquireResult.Granted && sight.place().isPresent()) {
            lane.update(statements.leaveLine, parameters);
        }
        if (!request.waits() || !(answer instanceof AcquireResult.Held)) {
            return true;
        }
        long life = Micros.of(request.placeLife());
        boolean isThere = sight.place().isPresent();
        if (!isThere || sight.place().getAsLong() - sight.snapshot().nowMicros() <= life / 2) {
            if (dialect.grant != Dialect.Grant.ONE_STATEMENT) {
                lane.update(statements.forgetLapsed, parameters);
            }
            lane.update(isThere ? statements.keepPlace : statements.standInLine, parameters);
        }
        boolean isNewlyMarked = !sight.isMarked() && lane.atomically(within -> isMarked(within, parameters));
        return isThere && !isNewlyMarked;
    }

    /** Marks the record as one that is waited for, unless somebody has it locked: then polling has to do. */
    private boolean isMarked(Lane lane, Parameters parameters) throws SQLException {
        return !lane.query(statements.lockUnmarked, parameters, row -> true).isEmpty()
                && lane.update(statements.mark, parameters) > 0;
    }

    @Override
    public List<Optional<AcquireResult>> together(Lane lane, List<AcquireRequest> requests) throws SQLException {
        Parameters parameters = lane.parameters()
                .texts("k", requests, AcquireRequest::key)
                .texts("nonce", requests, AcquireRequest::nonce)
                .texts("owner", requests, AcquireRequest::owner)
                .numbers("ttl", requests, request -> Micros.of(request.ttl()))
                .texts("fingerprint", requests, AcquireRequest::fingerprint);
        Map<Key, Sight> sights = new HashMap<>();
        Map<Key, AcquireRequest> byKey = new HashMap<>();
        requests.forEach(request -> byKey.put(request.key(), request));
        for (Sight sight : lane.query(
                statements.takeOrSeeTogether(),
                parameters,
                row -> quickSight(row, Objects.requireNonNull(byKey.get(Rows.key(row, dialect)))))) {
            sights.put(sight.snapshot().key(), sight);
        }
        List<Optional<AcquireResult>> answers = new ArrayList<>(requests.size());
        for (AcquireRequest request : requests) {
            answers.add(Optional.ofNullable(sights.get(request.key()))
                    .filter(sight -> sight.isTaken() || isRefused(Optional.of(sight), request))
                    .flatMap(sight -> sight.judge(request)));
        }
        return answers;
    }

    private Parameters parameters(Lane lane, AcquireRequest request) {
        return lane.parameters()
                .key("k", request.key())
                .text("nonce", request.nonce())
                .text("owner", request.owner())
                .time("ttl", request.ttl())
                .time("lockDelay", request.lockDelay())
                .flag("ignoresCooldown", request.ignoresCooldown())
                .text("fingerprint", request.fingerprint())
                .fence("unmoved", request.unmoved())
                .time("life", request.placeLife())
                .text("node", node);
    }
}
