package dev.leasehold.tck.interleaving;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Place;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.interleaving.Arena.Detail;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a store did with the two orders that could have been: the verb before the rival, or after it. Times are
 * compared as over or not over, and the fence of a new grant only needs to be larger than those before.
 */
final class Judge {
    private static final String VERB_FIRST = "verb first";

    private final Cell cell;
    private final Cast cast;
    private final Arena arena;
    private final @Nullable LeaseRecord before;
    private final @Nullable LeaseRecord written;
    private final long now;

    /** Stands for the answer that a record is locked. */
    private static final String LOCKED = "locked by another transaction";

    /** What one order gives. */
    private record Order(
            String name, VerbForm.Result result, @Nullable LeaseRecord after, long newestFence) {
        boolean isVerbFirst() {
            return name.equals(VERB_FIRST);
        }
    }

    Judge(Cell cell, Cast cast, Arena arena, @Nullable LeaseRecord before, @Nullable LeaseRecord written, long now) {
        this.cell = cell;
        this.cast = cast;
        this.arena = arena;
        this.before = before;
        this.written = written;
        this.now = now;
    }

    /**
     * Empty if the outcome is right.
     *
     * @param isEarly whether the answer came while the rival's transaction was open
     */
    Optional<String> judge(Object answer, @Nullable LeaseRecord after, boolean isEarly) {
        List<Order> orders = orders();
        for (Order order : orders) {
            if (isAnswer(order, answer, after) && isRecord(order.after(), after, order)) {
                return Optional.empty();
            }
        }
        StringBuilder text = new StringBuilder("answered ").append(answer);
        text.append(isEarly ? " before the rival ended" : "")
                .append("; record: ")
                .append(brief(after));
        text.append("; before: ").append(brief(before));
        for (Order order : orders) {
            text.append("\n      ").append(order.name()).append(": ");
            text.append(order.result().answer()).append("; record: ").append(brief(order.after()));
        }
        return Optional.of(text.toString());
    }

    private List<Order> orders() {
        List<Order> orders = new ArrayList<>();
        long old = fence(before);
        for (VerbForm.Result result : results(before, true)) {
            LeaseRecord after = result.record();
            if (cell.isCommitted()) {
                after = kept(cell.meanwhile().apply(after, cast, now));
            }
            orders.add(new Order(cell.isCommitted() ? VERB_FIRST : "verb alone", result, after, old));
        }
        if (cell.isCommitted()) {
            for (VerbForm.Result result : results(written, false)) {
                orders.add(new Order("rival first", result, result.record(), Math.max(old, fence(written))));
            }
        }
        return orders;
    }

    /**
     * What the verb may answer to this record. A caller that waits may be refused without a place while the record is
     * locked: it asks again soon. A record that would be granted may count as held for as long as a transaction keeps it,
     * and a purge may pass it by.
     */
    private List<VerbForm.Result> results(@Nullable LeaseRecord record, boolean isLocked) {
        VerbForm verb = cell.verb();
        if (verb.isAcquire() && record == null && !arena.makesRecords()) {
            return List.of(VerbForm.missing());
        }
        List<VerbForm.Result> results = new ArrayList<>();
        VerbForm.Result decided = verb.decide(record, cast, now);
        results.add(decided);
        if (verb.waits()) {
            results.add(verb.decideWithoutPlace(record, cast, now));
        }
        if (isLocked && decided.answer() instanceof AcquireResult.Granted) {
            results.add(new VerbForm.Result(LOCKED, record));
        }
        if (isLocked && verb == VerbForm.PURGE) {
            results.add(new VerbForm.Result(false, record));
        }
        return results.stream()
                .map(result -> new VerbForm.Result(result.answer(), kept(result.record())))
                .toList();
    }

    private @Nullable LeaseRecord kept(@Nullable LeaseRecord record) {
        return record == null ? null : arena.kept(record);
    }

    private static long fence(@Nullable LeaseRecord record) {
        return record == null ? 0 : record.fence().value();
    }

    private boolean isAnswer(Order order, Object actual, @Nullable LeaseRecord after) {
        Object expected = order.result().answer();
        if (actual instanceof AcquireResult.Granted && order.isVerbFirst() && cell.meanwhile() != Meanwhile.LOCK) {
            // A grant writes the record, which the rival has locked: it can only come after the rival.
            return false;
        }
        if (expected.equals(LOCKED)) {
            return actual instanceof AcquireResult.Held held && held.isLocked();
        }
        if (expected instanceof AcquireResult.Granted grant && actual instanceof AcquireResult.Granted got) {
            boolean isRecorded = order.after() == null
                    || !order.after().fence().equals(grant.fence())
                    || !compares(Detail.FENCE)
                    || (after != null && after.fence().equals(got.fence()));
            return isRecorded
                    && isFence(grant.fence(), got.fence(), order)
                    && !got.remaining().isNegative()
                    && got.remaining().compareTo(Cast.TTL) <= 0
                    && (!compares(Detail.ATTEMPTS) || grant.attempt() == got.attempt())
                    && (!isPredecessorKnown(grant) || Objects.equals(grant.predecessor(), got.predecessor()))
                    && Objects.equals(grant.checkpoint(), got.checkpoint());
        }
        if (expected instanceof AcquireResult.Held held && actual instanceof AcquireResult.Held got) {
            return isFence(held.fence(), got.fence(), order)
                    && Objects.equals(held.owner(), got.owner())
                    && (!compares(Detail.TTL) || held.ttl().equals(got.ttl()))
                    && held.inLine() == got.inLine();
        }
        if (expected instanceof AcquireResult.Settled settled && actual instanceof AcquireResult.Settled got) {
            return settled.fence().equals(got.fence())
                    && settled.attempts() == got.attempts()
                    && settled.settlement().state() == got.settlement().state()
                    && Objects.equals(
                            settled.settlement().payload(), got.settlement().payload());
        }
        if (expected instanceof AcquireResult.Cooling) {
            return actual instanceof AcquireResult.Cooling;
        }
        if (cell.verb() == VerbForm.FIND && actual instanceof Optional<?> found) {
            LeaseRecord seen = (LeaseRecord) found.orElse(null);
            return isRecord(order.result().record(), seen, order);
        }
        return expected.equals(actual);
    }

    /** A store that counts no attempts does not remember either from whom a holder took over that asks again. */
    private boolean isPredecessorKnown(AcquireResult.Granted grant) {
        boolean isNew = grant.fence().value() != fence(before) && grant.fence().value() != fence(written);
        return compares(Detail.FENCE) && (isNew || compares(Detail.ATTEMPTS));
    }

    private boolean compares(Detail detail) {
        return arena.details().contains(detail);
    }

    /** A fence that was there before must be the same; a new one must be the largest. */
    private boolean isFence(Fence expected, Fence actual, Order order) {
        if (!compares(Detail.FENCE)) {
            return true;
        }
        boolean isKnown = expected.value() == fence(before) || expected.value() == fence(written);
        return isKnown ? expected.equals(actual) : actual.value() > order.newestFence();
    }

    private boolean isRecord(@Nullable LeaseRecord expected, @Nullable LeaseRecord actual, Order order) {
        if (expected == null || actual == null) {
            return expected == null && actual == null;
        }
        return expected.state() == actual.state()
                && isFence(expected.fence(), actual.fence(), order)
                && Objects.equals(holder(expected), holder(actual))
                && Objects.equals(expected.tombstone(), actual.tombstone())
                && (expected.state() == State.FREE || expected.isOver(now) == actual.isOver(now))
                && expected.isCooling(now) == actual.isCooling(now)
                && (!compares(Detail.ATTEMPTS) || expected.progress().equals(actual.progress()))
                && line(expected).equals(line(actual));
    }

    private @Nullable Tenure holder(LeaseRecord record) {
        Tenure tenure = record.tenure();
        long ttl = tenure == null || !compares(Detail.TTL) ? 0 : tenure.ttlMicros();
        return tenure == null ? null : new Tenure(tenure.nonce(), tenure.owner(), ttl, 0, tenure.checkpointNumber());
    }

    private List<Object> line(LeaseRecord record) {
        return record.line().stream()
                .filter(place -> place.untilMicros() > now)
                .map(Place::nonce)
                .map(Object.class::cast)
                .toList();
    }

    /** A record in a few words, with the callers by their names. */
    private String brief(@Nullable LeaseRecord record) {
        if (record == null) {
            return "none";
        }
        Tenure tenure = record.tenure();
        return record.state()
                + (tenure == null
                        ? ""
                        : " by " + cast.owner(tenure.nonce()) + ", checkpoint " + tenure.checkpointNumber())
                + (record.isOver(now) ? ", over" : "")
                + ", fence " + record.fence()
                + (record.tombstone() == null ? "" : ", tombstone " + cast.owner(record.tombstone()))
                + ", attempts " + record.progress().attempts()
                + ", in line "
                + record.line().stream().map(place -> cast.owner(place.nonce())).toList();
    }
}
