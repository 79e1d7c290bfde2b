package dev.leasehold.jdbc;

import dev.leasehold.store.AcquireRequest;
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
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The quick way for a record to change hands, for what is nearly always so: a record that this process released lately
 * is still free, and nobody waits for one that it holds. It is one small statement, and many of them, grants and
 * releases alike, are one statement too: what arrives together leaves together, and waits for the disk once. Whatever
 * turns out not to be so is left as it is, for the long way to deal with.
 */
final class Passing implements Lanes.Batch<Passing.Step, Passing.Passage> {
    private final Statements statements;
    private final Dialect dialect;

    Passing(Statements statements, Dialect dialect) {
        this.statements = statements;
        this.dialect = dialect;
    }

    /**
     * A record that is to change hands.
     *
     * @param seen the holder who gives it back, or null to take a free one
     * @param fence of the lease that is given back
     * @param next the holder to be, or null to give it back
     */
    record Step(
            Key key,
            @Nullable Nonce seen,
            @Nullable Fence fence,
            @Nullable Nonce next,
            @Nullable Owner owner,
            long ttlMicros,
            @Nullable String fingerprint) {
        static Step taking(AcquireRequest request) {
            return new Step(
                    request.key(),
                    null,
                    null,
                    request.nonce(),
                    request.owner(),
                    Micros.of(request.ttl()),
                    request.fingerprint());
        }

        static Step giving(ReleaseRequest request) {
            return new Step(request.key(), request.nonce(), request.fence(), null, null, 0, null);
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
    }

    boolean isKnown() {
        return dialect.passing != Dialect.Passing.UNKNOWN;
    }

    @Override
    public Object key(Step step) {
        return step.key();
    }

    @Override
    public Passage alone(Lane lane, Step step) throws SQLException {
        Parameters parameters = lane.parameters()
                .key("k", step.key())
                .text("seen", step.seen())
                .fence("fence", step.fence())
                .text("nonce", step.isTaking() ? step.next() : step.seen())
                .text("owner", step.owner())
                .number("ttl", step.ttlMicros())
                .text("fingerprint", step.fingerprint());
        if (!step.isTaking()) {
            return lane.update(statements.releasePlain, parameters) > 0 ? new Passage(step.fence()) : Passage.NONE;
        }
        if (dialect == Dialect.MYSQL) {
            OptionalLong fence = lane.updateForNumber(statements.takeFree, parameters);
            return fence.isPresent() ? passage(fence.getAsLong()) : Passage.NONE;
        }
        List<Passage> taken = lane.query(statements.takeFree, parameters, row -> passage(row.getLong(1)));
        return taken.isEmpty() ? Passage.NONE : taken.get(0);
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
            case UNION -> passUnion(lane, sorted, passed);
            default -> lane.atomically(within -> passOneByOne(within, sorted, passed));
        }
    }

    private void passArrays(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        Parameters parameters = lane.parameters()
                .texts("k", steps, Step::key)
                .texts("seen", steps, Step::seen)
                .numbers("fence", steps, step -> value(step.fence()))
                .texts("next", steps, Step::next)
                .texts("owner", steps, Step::owner)
                .numbers("ttl", steps, Step::ttlMicros)
                .texts("fingerprint", steps, Step::fingerprint);
        lane.query(
                statements.passTogether(steps.size()),
                parameters,
                row -> passed.put(Rows.key(row, dialect), passage(row.getLong("fence"))));
    }

    private static @Nullable Long value(@Nullable Fence fence) {
        return fence == null ? null : fence.value();
    }

    private boolean passOneByOne(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        for (Step step : steps) {
            passed.put(step.key(), alone(lane, step));
        }
        return true;
    }

    /**
     * Where a change cannot give back rows, it is followed by a look at them. If the change did not find all as
     * expected, a release counts as done if its tombstone is there still; otherwise the long way asks again.
     */
    private void passUnion(Lane lane, List<Step> steps, Map<Key, Passage> passed) throws SQLException {
        int places = Renewing.places(steps.size());
        PreparedStatement change = lane.prepare(statements.passTogether(places));
        int index = 1;
        for (int i = 0; i < places; i++) {
            index = bind(change, index, i < steps.size() ? steps.get(i) : null);
        }
        boolean isComplete = change.executeUpdate() == steps.size();
        if (isComplete) {
            steps.stream()
                    .filter(step -> !step.isTaking())
                    .forEach(step -> passed.put(step.key(), new Passage(step.fence())));
            if (steps.stream().noneMatch(Step::isTaking)) {
                return;
            }
        }
        Map<Key, Step> byKey = new HashMap<>();
        steps.forEach(step -> byKey.put(step.key(), step));
        PreparedStatement look = lane.prepare(statements.passed(places));
        for (int i = 0; i < places; i++) {
            look.setBytes(i + 1, steps.get(Math.min(i, steps.size() - 1)).key().utf8());
        }
        try (ResultSet rows = look.executeQuery()) {
            while (rows.next()) {
                Step step = byKey.get(Rows.key(rows, dialect));
                if (step != null && isPassed(step, rows)) {
                    passed.put(step.key(), passage(rows.getLong("fence")));
                }
            }
        }
    }

    private static boolean isPassed(Step step, ResultSet row) throws SQLException {
        Nonce holder = step.next();
        return holder != null
                ? holder.toString().equals(row.getString("nonce"))
                : String.valueOf(step.seen()).equals(row.getString("tombstone"));
    }

    /** One place of the union; one that is empty has no key. */
    private static int bind(PreparedStatement statement, int first, @Nullable Step step) throws SQLException {
        int index = first;
        statement.setBytes(index++, step == null ? null : step.key().utf8());
        statement.setString(index++, step == null ? null : text(step.seen()));
        statement.setObject(index++, step == null ? null : value(step.fence()));
        statement.setString(index++, step == null ? null : text(step.next()));
        statement.setString(index++, step == null ? null : text(step.owner()));
        statement.setLong(index++, step == null ? 0 : step.ttlMicros());
        statement.setString(index++, step == null ? null : step.fingerprint());
        return index;
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}
