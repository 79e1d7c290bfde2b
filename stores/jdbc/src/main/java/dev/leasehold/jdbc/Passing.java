package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The quick way for a record to change hands, for what is nearly always so: a record that this process released lately
 * is still free, and nobody waits for one that it holds. It is one small statement, and many of them, grants and
 * releases alike, are one statement too: what arrives together leaves together, and waits for the disk once. Whatever
 * turns out not to be so is left as it is, for the long way to deal with.
 */
final class Passing implements SqlBatch<Passing.Step, Passing.Passage> {
    private final PassingStatements statements;
    private final Dialect dialect;

    Passing(Dialect dialect) {
        this.statements = new PassingStatements(dialect);
        this.dialect = dialect;
    }

    /**
     * A record that is to change hands.
     *
     * @param seen the holder who gives it back, or null to take a free one
     * @param fence of the lease that is given back, or that was given back last
     * @param next the holder to be, or null to give it back
     */
    record Step(
            Key key,
            @Nullable Nonce seen,
            Fence fence,
            @Nullable Nonce next,
            @Nullable Owner owner,
            long ttlMicros,
            @Nullable String fingerprint) {
        static Step taking(AcquireRequest request, Fence last) {
            return new Step(
                    request.key(),
                    null,
                    last,
                    request.nonce(),
                    request.owner(),
                    Micros.of(request.ttl()),
                    request.fingerprint());
        }

        /** Of a request that names its fence. */
        static Step giving(ReleaseRequest request) {
            Fence fence = Objects.requireNonNull(request.fence());
            return new Step(request.key(), request.nonce(), fence, null, null, 0, null);
        }

        private boolean isTaking() {
            return next != null;
        }
    }

    /**
     * What became of a step.
     *
     * @param fence of the record; null if nothing was changed
     */
    record Passage(@Nullable Fence fence) {
        private static final Passage NONE = new Passage(null);

        boolean isDone() {
            return fence != null;
        }

        /** What its taker is told. */
        Optional<AcquireResult> grant(AcquireRequest request) {
            return fence == null
                    ? Optional.empty()
                    : Optional.of(new AcquireResult.Granted(fence, request.ttl(), 1, null, null));
        }
    }

    boolean isKnown() {
        return dialect.passing != Dialect.Passing.UNKNOWN;
    }

    @Override
    public Object key(Step step) {
        return step.key();
    }

    /** A record that another transaction has locked is left to the long way. */
    @Override
    public Passage alone(Lane lane, Step step) throws SQLException {
        try {
            return pass(lane, step);
        } catch (SQLException e) {
            if (SqlErrors.isLocked(e, dialect)) {
                return Passage.NONE;
            }
            throw e;
        }
    }

    private Passage pass(Lane lane, Step step) throws SQLException {
        Parameters parameters = lane.parameters()
                .key("k", step.key())
                .text("seen", step.seen())
                .fence("fence", step.fence())
                .text("nonce", step.isTaking() ? step.next() : step.seen())
                .text("owner", step.owner())
                .number("ttl", step.ttlMicros())
                .text("fingerprint", step.fingerprint());
        if (!step.isTaking()) {
            return lane.update(statements.give, parameters) > 0 ? new Passage(step.fence()) : Passage.NONE;
        }
        OptionalLong fence = take(lane, statements.take, parameters);
        return fence.isPresent() ? passage(fence.getAsLong()) : Passage.NONE;
    }

    /** Takes a record that is free, and gives back its fence; whatever else it is, stays. */
    private OptionalLong take(Lane lane, Sql take, Parameters parameters) throws SQLException {
        return dialect == Dialect.MYSQL
                ? lane.updateForNumber(take, parameters)
                : lane.query(take, parameters, row -> row.getLong(1)).stream()
                        .mapToLong(Long::longValue)
                        .findFirst();
    }

    /** The same for a record that may be anybody's: one that is locked is not waited for, but left to the long way. */
    OptionalLong takeAtOnce(Lane lane, Parameters parameters) throws SQLException {
        try {
            return take(lane, statements.takeAtOnce, parameters);
        } catch (SQLException e) {
            if (SqlErrors.isConflict(e, dialect)) {
                return OptionalLong.empty();
            }
            throw e;
        }
    }

    private static Passage passage(long fence) {
        return new Passage(Fence.of(fence));
    }

    /** If somebody else has a record locked for long, the others must not suffer for it again: each goes alone. */
    @Override
    public List<Optional<Passage>> together(Lane lane, List<Step> steps) throws SQLException {
        Map<Key, Passage> passed = new HashMap<>();
        try {
            pass(lane, steps, passed);
        } catch (SQLException e) {
            if (SqlErrors.isConflict(e, dialect)) {
                return steps.stream().map(step -> Optional.<Passage>empty()).toList();
            }
            throw e;
        }
        return steps.stream()
                .map(step -> Optional.of(passed.getOrDefault(step.key(), Passage.NONE)))
                .toList();
    }

    /** In the order of their keys, so that two batches that want the same records do not block each other. */
    private void pass(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        List<Step> sorted =
                steps.stream().sorted(Comparator.comparing(Step::key)).toList();
        switch (dialect.passing) {
            case ARRAYS -> passArrays(lane, sorted, passed);
            case LISTS -> passLists(lane, sorted, passed);
            default -> lane.atomically(within -> passOneByOne(within, sorted, passed));
        }
    }

    private void passArrays(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        Parameters parameters = lane.parameters()
                .texts("k", steps, Step::key)
                .texts("seen", steps, Step::seen)
                .numbers("fence", steps, step -> step.fence().value())
                .texts("next", steps, Step::next)
                .texts("owner", steps, Step::owner)
                .numbers("ttl", steps, Step::ttlMicros)
                .texts("fingerprint", steps, Step::fingerprint);
        lane.query(
                statements.arrays,
                parameters,
                row -> passed.put(Rows.key(row, dialect), passage(row.getLong("fence"))));
    }

    private boolean passOneByOne(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        for (Step step : steps) {
            passed.put(step.key(), pass(lane, step));
        }
        return true;
    }

    /** What takers must have in common to go in one statement where there are no arrays. */
    private record Terms(String owner, long ttlMicros, Optional<String> fingerprint) {
        static Terms of(Step step) {
            return new Terms(String.valueOf(step.owner()), step.ttlMicros(), Optional.ofNullable(step.fingerprint()));
        }
    }

    private void passLists(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        List<Step> givers = steps.stream().filter(step -> !step.isTaking()).toList();
        Map<Terms, List<Step>> takers = steps.stream().filter(Step::isTaking).collect(Collectors.groupingBy(Terms::of));
        List<Step> going = givers;
        for (Map.Entry<Terms, List<Step>> alike : takers.entrySet()) {
            passLists(lane, going, alike.getValue(), alike.getKey(), passed);
            going = List.of();
        }
        if (takers.isEmpty()) {
            passLists(lane, givers, List.of(), new Terms("", 0, Optional.empty()), passed);
        }
    }

    private void passLists(Lane lane, List<Step> givers, List<Step> takers, Terms terms, Map<Key, Passage> passed)
            throws SQLException {
        List<Step> all = Stream.concat(givers.stream(), takers.stream()).toList();
        int places = SqlOfSize.places(all.size());
        Binder change = new Binder(lane.prepareForNumber(statements.lists.of(places)), places);
        change.text(terms.fingerprint().orElse(null));
        change.number(terms.ttlMicros()).number(terms.ttlMicros()).text(terms.owner());
        change.keys(takers).texts(takers, Step::next);
        change.keys(all).keysAnd(all, step -> step.fence().value());
        change.keys(takers).texts(takers, Step::next).keysAnd(givers, step -> String.valueOf(step.seen()));
        int changed = change.statement.executeUpdate();
        if (changed == 0) {
            return;
        }
        long clock = Lane.number(change.statement).orElseThrow();
        if (changed < all.size()) {
            look(lane, all, places, clock, passed);
            return;
        }
        givers.forEach(step -> passed.put(step.key(), new Passage(step.fence())));
        takers.forEach(step ->
                passed.put(step.key(), passage(Math.max(step.fence().value() + 1, clock))));
    }

    /**
     * What became of records that were not all as expected. A record counts as taken if its holder has it since the
     * moment of the statement, and not from an earlier grant. A release counts as done if its tombstone is there;
     * otherwise the long way asks again.
     */
    private void look(Lane lane, List<Step> steps, int places, long clock, Map<Key, Passage> passed)
            throws SQLException {
        Map<Key, Step> byKey = new HashMap<>();
        steps.forEach(step -> byKey.put(step.key(), step));
        Binder look = new Binder(lane.prepare(statements.passed.of(places)), places);
        look.keys(steps);
        try (ResultSet rows = look.statement.executeQuery()) {
            while (rows.next()) {
                Step step = byKey.get(Rows.key(rows, dialect));
                if (step != null && isPassed(step, clock, rows)) {
                    passed.put(step.key(), passage(rows.getLong("fence")));
                }
            }
        }
    }

    private static boolean isPassed(Step step, long clock, ResultSet row) throws SQLException {
        Nonce holder = step.next();
        return holder != null
                ? holder.toString().equals(row.getString("nonce")) && row.getLong("since") == clock
                : String.valueOf(step.seen()).equals(row.getString("tombstone"));
    }

    /** Binds lists to a statement that has so many places for each; those that are left over stay empty. */
    private static final class Binder {
        private final PreparedStatement statement;
        private final int places;
        private int index = 1;

        Binder(PreparedStatement statement, int places) {
            this.statement = statement;
            this.places = places;
        }

        Binder text(@Nullable String text) throws SQLException {
            statement.setString(index++, text);
            return this;
        }

        Binder number(long number) throws SQLException {
            statement.setLong(index++, number);
            return this;
        }

        Binder keys(List<Step> steps) throws SQLException {
            for (int i = 0; i < places; i++) {
                key(steps, i);
            }
            return this;
        }

        Binder texts(List<Step> steps, Parameters.Column<Step> column) throws SQLException {
            for (int i = 0; i < places; i++) {
                text(i < steps.size() ? String.valueOf(column.of(steps.get(i))) : "");
            }
            return this;
        }

        Binder keysAnd(List<Step> steps, Parameters.Column<Step> column) throws SQLException {
            for (int i = 0; i < places; i++) {
                key(steps, i);
                statement.setObject(index++, i < steps.size() ? column.of(steps.get(i)) : null);
            }
            return this;
        }

        private void key(List<Step> steps, int i) throws SQLException {
            statement.setBytes(index++, i < steps.size() ? steps.get(i).key().utf8() : null);
        }
    }
}
