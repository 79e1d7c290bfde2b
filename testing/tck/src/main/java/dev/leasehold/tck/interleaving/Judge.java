package dev.leasehold.tck.interleaving;

import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Place;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.interleaving.Arena.Detail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a store did with the two orders that could have been: the verb before the rival, or after it. An expiry
 * must lie between those that the rules give at the earliest and at the latest moment at which the verb can have read the
 * clock, and the fence of a new grant only needs to be larger than those before.
 */
final class Judge {
    private static final String VERB_FIRST = "verb first";

    private final Cell cell;
    private final Cast cast;
    private final Arena arena;
    private final @Nullable LeaseRecord before;
    private final @Nullable LeaseRecord written;
    private final Times times;
    private final long now;

    /** Stands for the answer that a record is locked. */
    private static final String LOCKED = "locked by another transaction";

    /** A store may keep times in milliseconds. */
    private static final long TICK_MICROS = 1_000;

    /**
     * The store's clock.
     *
     * @param asked before the verb was asked
     * @param changed when the rival made its change
     * @param now after both
     */
    record Times(long asked, long changed, long now) {}

    /** The answers of one order if the verb reads the clock as early, or as late, as it can. */
    private record Order(
            String name,
            VerbForm.Result earliest,
            VerbForm.Result result,
            @Nullable LeaseRecord earliestAfter,
            @Nullable LeaseRecord after,
            long newestFence) {
        boolean isVerbFirst() {
            return name.equals(VERB_FIRST);
        }
    }

    Judge(Cell cell, Cast cast, Arena arena, @Nullable LeaseRecord before, @Nullable LeaseRecord written, Times times) {
        this.cell = cell;
        this.cast = cast;
        this.arena = arena;
        this.before = before;
        this.written = written;
        this.times = times;
        this.now = times.now();
    }

    /**
     * Empty if the outcome is right.
     *
     * @param isEarly whether the answer came while the rival's transaction was open
     */
    Optional<String> judge(Object answer, @Nullable LeaseRecord after, boolean isEarly) {
        List<Order> orders = orders();
        for (Order order : orders) {
            if (isAnswer(order, answer, after) && isRecord(order.earliestAfter(), order.after(), after, order)) {
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
        String name = cell.isCommitted() ? VERB_FIRST : "verb alone";
        List<VerbForm.Result> earliest = results(before, true, times.asked());
        List<VerbForm.Result> latest = results(before, true, now);
        for (int i = 0; i < latest.size(); i++) {
            LeaseRecord early = thenRival(earliest.get(i).record());
            LeaseRecord late = thenRival(latest.get(i).record());
            orders.add(new Order(name, earliest.get(i), latest.get(i), early, late, old));
        }
        if (cell.isCommitted()) {
            long newest = Math.max(old, fence(written));
            earliest = results(written, false, Math.max(times.asked(), times.changed()));
            latest = results(written, false, now);
            for (int i = 0; i < latest.size(); i++) {
                VerbForm.Result early = earliest.get(i);
                VerbForm.Result late = latest.get(i);
                orders.add(new Order("rival first", early, late, early.record(), late.record(), newest));
            }
        }
        return orders;
    }

    private @Nullable LeaseRecord thenRival(@Nullable LeaseRecord record) {
        return cell.isCommitted() ? kept(cell.meanwhile().apply(record, cast, times.changed())) : record;
    }

    /**
     * What the verb may answer to this record. A caller that waits may be refused without a place while the record is
     * locked: it asks again soon. A record that would be granted may count as held for as long as a transaction keeps it,
     * a renewal may leave it as it is, and a purge may pass it by.
     */
    private List<VerbForm.Result> results(@Nullable LeaseRecord record, boolean isLocked, long clock) {
        VerbForm verb = cell.verb();
        if (verb.isAcquire() && record == null && !arena.makesRecords()) {
            return List.of(VerbForm.missing());
        }
        List<VerbForm.Result> results = new ArrayList<>();
        VerbForm.Result decided = verb.decide(record, cast, clock);
        results.add(decided);
        if (verb.waits()) {
            results.add(verb.decideWithoutPlace(record, cast, clock));
        }
        if (isLocked && decided.answer() instanceof AcquireResult.Granted) {
            results.add(new VerbForm.Result(LOCKED, record));
        }
        if (isLocked && renewal(decided.answer()) != null) {
            // A renewal that met the lock wrote nothing, although the lease is still its holder's.
            results.add(new VerbForm.Result(Optional.of(Renewal.notExtended(cast.lease(), Duration.ZERO)), record));
        }
        if (isLocked && verb == VerbForm.PURGE) {
            results.add(new VerbForm.Result(false, record));
        }
        return results.stream()
                .map(result -> new VerbForm.Result(result.answer(), kept(result.record())))
                .toList();
    }

    private static @Nullable Renewal renewal(Object answer) {
        return answer instanceof Optional<?> optional && optional.orElse(null) instanceof Renewal renewal
                ? renewal
                : null;
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
                    && isHonest(got.remaining(), got.fence(), after)
                    && (!compares(Detail.ATTEMPTS) || grant.attempt() == got.attempt())
                    && (!isPredecessorKnown(grant) || Objects.equals(grant.predecessor(), got.predecessor()))
                    && Objects.equals(grant.checkpoint(), got.checkpoint());
        }
        if (expected instanceof AcquireResult.Held held && actual instanceof AcquireResult.Held got) {
            return isFence(held.fence(), got.fence(), order)
                    && Objects.equals(held.owner(), got.owner())
                    && (!compares(Detail.TTL) || held.ttl().equals(got.ttl()))
                    && isRemaining(order, got)
                    && held.inLine() == got.inLine();
        }
        if (expected instanceof AcquireResult.Settled settled && actual instanceof AcquireResult.Settled got) {
            return settled.fence().equals(got.fence())
                    && settled.attempts() == got.attempts()
                    && isRemaining(order, got)
                    && settled.settlement().state() == got.settlement().state()
                    && Objects.equals(
                            settled.settlement().payload(), got.settlement().payload());
        }
        if (expected instanceof AcquireResult.Cooling && actual instanceof AcquireResult.Cooling got) {
            return isRemaining(order, got);
        }
        if (renewal(expected) != null && renewal(actual) != null) {
            Renewal got = Objects.requireNonNull(renewal(actual));
            return Objects.requireNonNull(renewal(expected)).isExtended() == got.isExtended()
                    && isHonest(got.remaining(), got.lease().fence(), after);
        }
        if (cell.verb() == VerbForm.FIND && actual instanceof Optional<?> found) {
            LeaseRecord seen = (LeaseRecord) found.orElse(null);
            return isRecord(order.earliest().record(), order.result().record(), seen, order);
        }
        return expected.equals(actual);
    }

    /** The holder counts from before it asked, and must not count on more than the record says while it is its own. */
    private boolean isHonest(Duration remaining, Fence fence, @Nullable LeaseRecord after) {
        if (after == null || after.state() != State.HELD || !compares(Detail.FENCE)) {
            return true;
        }
        return !after.fence().equals(fence)
                || remaining.isZero()
                || times.asked() + micros(remaining) <= after.expiryMicros() + TICK_MICROS;
    }

    private static boolean isRemaining(Order order, AcquireResult got) {
        long remaining = micros(remaining(got));
        return remaining >= micros(remaining(order.result().answer())) - TICK_MICROS
                && remaining <= micros(remaining(order.earliest().answer())) + TICK_MICROS;
    }

    private static Duration remaining(Object answer) {
        if (answer instanceof AcquireResult.Held held) {
            return held.remaining();
        }
        if (answer instanceof AcquireResult.Settled settled) {
            return settled.remaining();
        }
        return answer instanceof AcquireResult.Cooling cooling ? cooling.remaining() : Duration.ZERO;
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
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

    private boolean isRecord(
            @Nullable LeaseRecord earliest, @Nullable LeaseRecord expected, @Nullable LeaseRecord actual, Order order) {
        if (earliest == null || expected == null || actual == null) {
            return expected == null && actual == null;
        }
        return expected.state() == actual.state()
                && isFence(expected.fence(), actual.fence(), order)
                && Objects.equals(holder(expected), holder(actual))
                && Objects.equals(expected.tombstone(), actual.tombstone())
                && expected.isCooling(now) == actual.isCooling(now)
                && isExpiry(earliest, expected, actual)
                && (!compares(Detail.ATTEMPTS) || expected.progress().equals(actual.progress()))
                && line(expected).equals(line(actual));
    }

    /** The expiry of a record that is free, and not closed by a cooldown, means nothing. */
    private boolean isExpiry(LeaseRecord earliest, LeaseRecord latest, LeaseRecord actual) {
        boolean isFree = latest.state() == State.FREE && !latest.isCooling(now);
        return isFree
                || (actual.expiryMicros() >= earliest.expiryMicros() - TICK_MICROS
                        && actual.expiryMicros() <= latest.expiryMicros() + TICK_MICROS);
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

    /** A record in a few words, with the callers by their names, and microseconds from the call to the expiry. */
    private String brief(@Nullable LeaseRecord record) {
        if (record == null) {
            return "none";
        }
        Tenure tenure = record.tenure();
        return record.state()
                + (tenure == null
                        ? ""
                        : " by " + cast.owner(tenure.nonce()) + ", checkpoint " + tenure.checkpointNumber())
                + (record.state() == State.FREE ? "" : ", expiry " + (record.expiryMicros() - times.asked()))
                + ", fence " + record.fence()
                + (record.tombstone() == null ? "" : ", tombstone " + cast.owner(record.tombstone()))
                + ", attempts " + record.progress().tally()
                + ", in line "
                + record.line().stream().map(place -> cast.owner(place.nonce())).toList();
    }
}
