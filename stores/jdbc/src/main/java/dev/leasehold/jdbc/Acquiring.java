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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The verb acquire. A statement decides whether the lease is granted; why it was not is read from the row and put into
 * words by {@link LeaseRules}, as in every other store. A refusal writes nothing.
 */
final class Acquiring implements SqlBatch<AcquireRequest, AcquireResult> {
    private static final int MOST_ROUNDS = 100;

    /** After so many rounds others are in the way all the time, and the call pauses before the next. */
    private static final int QUICK_ROUNDS = 5;

    /** How long a call waits for another transaction that has its record locked. */
    private static final Duration PATIENCE = Duration.ofMillis(40);

    private final Statements statements;
    private final Dialect dialect;
    private final String node;
    private final Passing passing;
    private final KeyMemory memory;
    private final Turns turns;

    /** Calls for records that had an answer when they were seen last: they only read, if they go together. */
    private final SqlBatch<AcquireRequest, AcquireResult> replaying = new SqlBatch<>() {
        @Override
        public Object key(AcquireRequest request) {
            return request.key();
        }

        @Override
        public AcquireResult alone(Lane lane, AcquireRequest request) throws SQLException {
            return Acquiring.this.alone(lane, request);
        }

        @Override
        public List<Optional<AcquireResult>> together(Lane lane, List<AcquireRequest> requests) throws SQLException {
            return readTogether(lane, requests);
        }
    };

    Acquiring(Statements statements, Dialect dialect, String node, Passing passing, KeyMemory memory, Turns turns) {
        this.statements = statements;
        this.dialect = dialect;
        this.node = node;
        this.passing = passing;
        this.memory = memory;
        this.turns = turns;
    }

    AcquireResult acquire(Database database, AcquireRequest request) {
        AcquireResult result = quickly(database, request).orElseGet(() -> slowly(database, request));
        if (result instanceof AcquireResult.Held) {
            memory.sawHeld(request.key(), request.waits());
        } else if (result instanceof AcquireResult.Granted) {
            memory.sawHeld(request.key(), false);
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

    private AcquireResult slowly(Database database, AcquireRequest request) {
        if (isPlain(request) && memory.isSettled(request.key()) && dialect == Dialect.POSTGRESQL) {
            return database.run(replaying, request);
        }
        if (isPlain(request) && dialect == Dialect.POSTGRESQL) {
            return database.run(this, request);
        }
        Supplier<AcquireResult> call = () -> database.run(lane -> alone(lane, request));
        return request.waits() ? turns.take(request.key(), call) : call.get();
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
     * What a statement saw: the record, until when the caller's place in line lives, if it has one, and whether the
     * statement has just written the record for the caller.
     */
    private record Sight(LeaseSnapshot snapshot, OptionalLong place, boolean isWritten) {
        /**
         * Empty if the record would let the caller in, but the statement did not. A record that was only read never
         * grants: it may be older than a rival's commit that the statement waited for.
         */
        Optional<AcquireResult> judge(AcquireRequest request) {
            AcquireResult result = LeaseRules.acquire(snapshot.record(), request, snapshot.nowMicros())
                    .result();
            return result instanceof AcquireResult.Granted && !isWritten ? Optional.empty() : Optional.of(result);
        }

        boolean isFree() {
            return snapshot.record().state() == State.FREE;
        }

        boolean isHeldBy(Nonce nonce) {
            Tenure tenure = snapshot.record().tenure();
            return snapshot.record().state() == State.HELD
                    && tenure != null
                    && tenure.nonce().equals(nonce);
        }

        boolean hasLivePlace() {
            return place.isPresent() && place.getAsLong() > snapshot.nowMicros();
        }

        /** Whether the caller's place lives for long enough not to be refreshed now. */
        boolean hasFreshPlace(AcquireRequest request) {
            return place.isPresent() && place.getAsLong() - snapshot.nowMicros() > Micros.of(request.placeLife()) / 2;
        }
    }

    @Override
    public AcquireResult alone(Lane lane, AcquireRequest request) throws SQLException {
        Parameters parameters = parameters(lane, request);
        long giveUpAt = System.nanoTime() + PATIENCE.toNanos();
        boolean isGrantable = false;
        // A caller that has to wait, most likely, stands in line first, and saves a look.
        boolean standsFirst = request.waits() && dialect == Dialect.POSTGRESQL && memory.isHeld(request.key());
        for (int round = 0; round < MOST_ROUNDS; round++) {
            try {
                Optional<AcquireResult> answer =
                        standsFirst ? standAtOnce(lane, request, parameters) : ask(lane, request, parameters);
                if (answer.isPresent()) {
                    return answer.get();
                }
                standsFirst = false;
                if (round >= QUICK_ROUNDS) {
                    Database.pause(round);
                }
            } catch (SQLException e) {
                if (!SqlErrors.isLocked(e, dialect)) {
                    throw e;
                }
                boolean givesUp = isGrantable && System.nanoTime() - giveUpAt >= 0;
                Optional<AcquireResult> answer = whileLocked(lane, request, parameters, givesUp);
                if (answer.isPresent()) {
                    return answer.get();
                }
                isGrantable = true;
                Database.pause(round + 1);
            }
        }
        throw new StoreUnavailableException("Gave up acquiring " + request.key() + " after " + MOST_ROUNDS
                + " tries: other callers changed its record each time. Retry the call.");
    }

    /**
     * Another transaction has the record locked: a rival that takes it, or a transaction of the user's that was fenced.
     * If the record would be granted, that transaction is waited for, but not for long: then the record counts as held.
     * It does so only if the lock was met after the record was seen to be grantable. If the record has become so since,
     * the transaction that had it locked may have ended, and the call asks once more.
     */
    private Optional<AcquireResult> whileLocked(
            Lane lane, AcquireRequest request, Parameters parameters, boolean givesUp) throws SQLException {
        Optional<Sight> seen = look(lane, parameters);
        Optional<AcquireResult> refusal = seen.flatMap(sight -> sight.judge(request));
        if (refusal.isPresent() && !request.waits()) {
            return refusal;
        }
        Optional<AcquireResult> inLine =
                refusal.isPresent() ? inLine(lane, request, parameters, seen.get(), refusal.get()) : Optional.empty();
        if (inLine.isPresent()) {
            return inLine;
        }
        // A caller that only wants a place in line does not wait for the lock: it asks again soon.
        return refusal.isPresent() || givesUp ? Optional.of(locked(seen, refusal)) : Optional.empty();
    }

    /** What a caller is told of a record that another transaction has locked. It has no place in line. */
    private static AcquireResult locked(Optional<Sight> seen, Optional<AcquireResult> refusal) {
        if (refusal.isEmpty()) {
            return AcquireResult.Held.locked(
                    seen.map(sight -> sight.snapshot().record().fence()).orElse(Fence.of(1)));
        }
        return withoutPlace(refusal.get());
    }

    private static AcquireResult withoutPlace(AcquireResult refusal) {
        return refusal instanceof AcquireResult.Held held ? held.withoutPlace() : refusal;
    }

    /** One round: an answer, or nothing if the record or the line changed meanwhile. */
    private Optional<AcquireResult> ask(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
        Optional<Sight> seen = look(lane, request, parameters);
        Optional<AcquireResult> answer = seen.flatMap(sight -> sight.judge(request));
        if (answer.isEmpty()) {
            return answer;
        }
        if (answer.get() instanceof AcquireResult.Granted && seen.get().place().isPresent()) {
            lane.update(statements.leaveLine, parameters);
        }
        boolean isWaiting = request.waits() && answer.get() instanceof AcquireResult.Held;
        if (!isWaiting) {
            return answer;
        }
        Optional<AcquireResult> inLine = inLine(lane, request, parameters, seen.get(), answer.get());
        if (inLine.isPresent()) {
            return inLine;
        }
        return dialect == Dialect.POSTGRESQL ? standAtOnce(lane, request, parameters) : stand(lane, parameters);
    }

    /**
     * Returns the refusal for a caller that has a place in line, once that is fresh; nothing for a caller that has none.
     * A place may be locked by a transaction of the user's that settles the run. The caller does not wait for that
     * transaction: it has no place, and asks again soon.
     *
     * <p>Nothing is counted on the record: a release that sees the place as it was hands over to it all the same, and
     * takes it out of the line, so that it is not refreshed.
     */
    private Optional<AcquireResult> inLine(
            Lane lane, AcquireRequest request, Parameters parameters, Sight seen, AcquireResult refusal)
            throws SQLException {
        if (seen.hasFreshPlace(request)) {
            return Optional.of(refusal);
        }
        try {
            return seen.hasLivePlace() && lane.update(statements.keepPlace, parameters) > 0
                    ? Optional.of(refusal)
                    : Optional.empty();
        } catch (SQLException e) {
            if (SqlErrors.isLocked(e, dialect)) {
                return Optional.of(withoutPlace(refusal));
            }
            throw e;
        }
    }

    /** Takes a place in line and is told of the record, both in one statement. */
    private Optional<AcquireResult> standAtOnce(Lane lane, AcquireRequest request, Parameters parameters)
            throws SQLException {
        return one(lane.query(
                        statements.stand(), parameters, row -> new Sight(snapshot(row), OptionalLong.empty(), false)))
                .flatMap(sight -> sight.judge(request));
    }

    /**
     * Takes a place in line and counts it on the record, if that is still held. A release that saw the line without this
     * place finds another count on the record, and looks at the line again. On MySQL, where no transaction is to stay open
     * between two statements, one makes a place that is over already, and the other makes it live and counts it.
     *
     * @return nothing: the record is looked at once more, to see how it is since
     */
    private Optional<AcquireResult> stand(Lane lane, Parameters parameters) throws SQLException {
        lane.update(statements.forgetLapsed, parameters);
        if (dialect != Dialect.MYSQL) {
            lane.atomically(within -> within.update(statements.countPlace, parameters) > 0
                    && within.update(statements.place, parameters) > 0);
            return Optional.empty();
        }
        lane.update(statements.place, parameters);
        if (lane.update(statements.countPlace, parameters) == 0) {
            lane.update(statements.leaveLine, parameters);
        }
        return Optional.empty();
    }

    /** Takes the lease or sees why not. Empty if a rival was a moment quicker. */
    private Optional<Sight> look(Lane lane, AcquireRequest request, Parameters parameters) throws SQLException {
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
            boolean isAnswered = quick.isEmpty() || quick.get().isWritten() || isRefused(quick, request);
            if (isAnswered) {
                return quick;
            }
        }
        return one(lane.query(statements.acquire, parameters, row -> sight(row, row.getInt("written") == 1)));
    }

    private Sight quickSight(ResultSet row, AcquireRequest request) throws SQLException {
        long fence = row.getLong("taken");
        return row.wasNull() ? new Sight(snapshot(row), OptionalLong.empty(), false) : taken(request, Fence.of(fence));
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
                .map(snapshot -> new Sight(snapshot, place, true));
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
        // It was ours a moment ago. If it is no longer, it expired, and the call asks again.
        return one(lane.query(statements.look, parameters, row -> sight(row, true)))
                .filter(sight -> sight.isHeldBy(request.nonce()));
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
        return new Sight(new LeaseSnapshot(Objects.requireNonNull(change.record()), now), OptionalLong.empty(), true);
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
                        statements.glance, parameters, row -> new Sight(snapshot(row), OptionalLong.empty(), false)));
    }

    private Optional<Sight> look(Lane lane, Parameters parameters) throws SQLException {
        return one(lane.query(statements.look, parameters, row -> sight(row, false)));
    }

    private static <T> Optional<T> one(List<T> rows) {
        return rows.stream().findFirst();
    }

    private Sight sight(ResultSet row, boolean isWritten) throws SQLException {
        long until = row.getLong("place");
        OptionalLong place = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(until);
        return new Sight(snapshot(row), place, isWritten);
    }

    private LeaseSnapshot snapshot(ResultSet row) throws SQLException {
        return Rows.snapshot(row, dialect, List.of());
    }

    /** If another transaction has one of the records locked, the others must not suffer for it: each goes alone. */
    @Override
    public List<Optional<AcquireResult>> together(Lane lane, List<AcquireRequest> requests) throws SQLException {
        try {
            return takeTogether(lane, requests);
        } catch (SQLException e) {
            if (SqlErrors.isConflict(e, dialect)) {
                return requests.stream()
                        .map(request -> Optional.<AcquireResult>empty())
                        .toList();
            }
            throw e;
        }
    }

    private List<Optional<AcquireResult>> takeTogether(Lane lane, List<AcquireRequest> requests) throws SQLException {
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
                    .filter(sight -> sight.isWritten() || isRefused(Optional.of(sight), request))
                    .flatMap(sight -> sight.judge(request)));
        }
        return answers;
    }

    private List<Optional<AcquireResult>> readTogether(Lane lane, List<AcquireRequest> requests) throws SQLException {
        Parameters parameters = lane.parameters().texts("k", requests, AcquireRequest::key);
        Map<Key, Sight> sights = new HashMap<>();
        lane.query(
                statements.glanceTogether,
                parameters,
                row -> sights.put(Rows.key(row, dialect), new Sight(snapshot(row), OptionalLong.empty(), false)));
        return requests.stream()
                .map(request -> Optional.ofNullable(sights.get(request.key())).flatMap(sight -> sight.judge(request)))
                .toList();
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
