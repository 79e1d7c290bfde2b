package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.AcquireResult.Settled;
import dev.leasehold.store.AcquireResult.Spent;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Place;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.ReleaseResult;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.State;
import dev.leasehold.tck.concurrency.Possible.Waiting;
import dev.leasehold.tck.concurrency.Recorded.Look;
import dev.leasehold.tck.concurrency.Recorded.NewTtl;
import dev.leasehold.tck.history.Linearizability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@link LeaseRules} for a clock that is known within bounds only.
 *
 * <p>The rules ask of a time only whether it is over. So they are given an example record in which it is, and one in
 * which it is not, as far as the bounds allow both; and the times in what comes out are turned into bounds again. That
 * never rejects an answer that the rules can give.
 *
 * <p>A store may do a few harmless things that the rules alone would not do, and they are accepted:
 *
 * <ul>
 *   <li>A caller that wants to wait is refused without a place in line.
 *   <li>A caller is told that the record is locked.
 *   <li>A renewal meets a locked record and does not extend it.
 *   <li>A renewal tells the TTL that a renewal with another TTL has given the lease before it returns.
 *   <li>A call grants or extends a lease, and before it returns, the lease expires, or is ended by its own nonce at the
 *       same time, or is given a checkpoint by it, or is extended once more.
 *   <li>A call that wants to wait stands in line before it has its answer, and is handed the key there.
 *   <li>A settlement sends those in line away a little later, or the key is handed to one of them, also to one that was
 *       told the answer before the settlement returned.
 * </ul>
 */
final class IntervalRules implements Linearizability.Model<Possible, Recorded> {
    /** The examples' present. */
    private static final long NOW = 1_000;
    /** The examples' future: no TTL and no retention ends then. */
    private static final long LATER = NOW + 7_777_777_777_777_777L;

    private final Possible initial;
    private final long tick;
    private final List<Recorded> extensions;
    private final List<Recorded> endings;
    private final List<Recorded> ttlChanges;

    /**
     * @param tickMicros the steps in which the store's clock goes
     * @param calls all that will be asked about
     */
    IntervalRules(Possible initial, long tickMicros, List<Recorded> calls) {
        this.initial = initial;
        this.tick = tickMicros;
        this.extensions = calls.stream()
                .filter(call -> call.request() instanceof AcquireRequest
                        || (call.request() instanceof LeaseRef && call.renewal().isEmpty()))
                .toList();
        this.endings = calls.stream()
                .filter(call -> call.request() instanceof ReleaseRequest || call.request() instanceof SettleRequest)
                .toList();
        this.ttlChanges =
                calls.stream().filter(call -> call.request() instanceof NewTtl).toList();
    }

    @Override
    public Possible initial() {
        return initial;
    }

    @Override
    public Collection<Possible> apply(Possible before, Recorded call) {
        List<Possible> after = new ArrayList<>(2);
        for (Possible exact : before.withFences(call.fences())) {
            for (Possible seen : perhapsExtended(exact, call.now())) {
                step(seen, call, after);
            }
        }
        return after;
    }

    /**
     * A renewal that was answered as lost may have extended the lease before it was lost; and an acquire may ask again
     * by itself, with its nonce, until it returns. Either may also have confirmed a hand-over.
     */
    private List<Possible> perhapsExtended(Possible before, Span now) {
        long latest = before.expiry().to();
        boolean isPerhapsConfirmed = false;
        for (Recorded call : extensions) {
            if (before.isIn(State.HELD)
                    && before.belongsTo(Objects.requireNonNull(call.nonce()))
                    && call.now().from() <= now.to()) {
                latest = Math.max(latest, Math.min(now.to(), call.now().to()) + before.ttlMicros());
                isPerhapsConfirmed = true;
            }
        }
        Possible extended = before.withExpiry(new Span(before.expiry().from(), latest));
        Possible confirmed = isPerhapsConfirmed ? extended.confirmed() : extended;
        List<Possible> all =
                new ArrayList<>(confirmed.equals(extended) ? List.of(extended) : List.of(extended, confirmed));
        addPerhapsWithTtl(before, now, all);
        return all;
    }

    /** The same for a renewal with another TTL: then the record had that TTL until the lease was lost, so during the call. */
    private void addPerhapsWithTtl(Possible before, Span now, List<Possible> all) {
        for (Recorded call : ttlChanges) {
            Span both = call.now().and(now);
            if (call.request() instanceof NewTtl renewal
                    && call.renewal().isEmpty()
                    && before.isIn(State.HELD)
                    && before.belongsTo(renewal.lease().nonce())
                    && !both.isEmpty()) {
                Span expiry = new Span(call.now().from(), both.to()).plus(renewal.micros());
                all.add(before.withTtl(renewal.ttl()).withExpiry(expiry));
            }
        }
    }

    @Override
    public Collection<Possible> applyUnseen(Possible before, Recorded call) {
        Span anyTimeAfter = new Span(call.now().from(), Span.ANY.to() / 2);
        return apply(
                before,
                new Recorded(call.caller(), call.request(), null, call.called(), call.returned(), anyTimeAfter));
    }

    private void step(Possible before, Recorded call, List<Possible> after) {
        if (call.request() instanceof AcquireRequest request) {
            acquire(before, request, call, after);
        } else if (call.request() instanceof LeaseRef lease) {
            renew(before, lease, call, after);
        } else if (call.request() instanceof NewTtl renewal) {
            renew(before, renewal, call, after);
        } else if (call.request() instanceof ReleaseRequest request) {
            release(before, request, call, after);
        } else if (call.request() instanceof SettleRequest request) {
            settle(before, request, call, after);
        } else {
            look(before, (Look) call.request(), call, after);
        }
    }

    private void acquire(Possible before, AcquireRequest request, Recorded call, List<Possible> after) {
        boolean isTimeless = before.record() == null
                || before.isIn(State.FREE)
                || (before.isIn(State.HELD) && before.belongsTo(request.nonce()));
        if (isTimeless) {
            acquire(before, LATER, request, call, call.now(), after);
            return;
        }
        long delay = before.isIn(State.HELD) ? Micros.of(request.lockDelay()) : 0;
        Span expiry = before.expiry().plus(delay);
        Span now = call.now();
        Span nowIfOver = now.since(expiry.from());
        if (!nowIfOver.isEmpty()) {
            Possible over = before.withExpiry(before.expiry().upTo(now.to() - delay));
            acquire(over, NOW - delay - 1, request, call, nowIfOver, after);
        }
        Span nowIfLive = now.upTo(expiry.to() - 1);
        if (!nowIfLive.isEmpty()) {
            Possible live = before.withExpiry(before.expiry().since(now.from() - delay + 1));
            acquire(live, LATER, request, call, nowIfLive, after);
        }
    }

    private void acquire(
            Possible before, long expiry, AcquireRequest request, Recorded call, Span now, List<Possible> after) {
        LeaseRecord example = before.example(expiry, places(before));
        Change<AcquireResult> change = LeaseRules.acquire(example, request, NOW);
        AcquireResult due = change.result();
        AcquireResult seen = (AcquireResult) call.answer();
        if (seen instanceof Held held && held.isLocked()) {
            after.add(before);
        } else if (due instanceof Granted) {
            granted(before, example, change, call, now, after);
        } else if (due instanceof Held held) {
            held(before, request, held, call, now, after);
        } else if (due instanceof Settled settled) {
            // The caller is told an answer and waits no longer. A settlement under way may not have cleared its place
            // yet.
            Possible gone = isBeingSettled(call) ? before : before.without(request.nonce());
            if (seen == null) {
                after.add(gone);
            } else if (seen instanceof Settled answer && isSame(settled, answer)) {
                addWithRemaining(gone, answer.remaining(), now, after);
            }
        } else if (seen == null || seen.equals(due)) {
            after.add(before);
        }
    }

    private boolean isBeingSettled(Recorded call) {
        return endings.stream()
                .anyMatch(ending -> ending.request() instanceof SettleRequest settling
                        && !settling.settlement().isCheckpoint()
                        && ending.called() < call.returned()
                        && ending.returned() > call.called());
    }

    private void granted(
            Possible before,
            @Nullable LeaseRecord example,
            Change<AcquireResult> change,
            Recorded call,
            Span now,
            List<Possible> after) {
        Granted due = (Granted) change.result();
        boolean isNew = example == null || !due.fence().equals(example.fence());
        Span fences = isNew ? newFences(before, now) : before.fence();
        if (call.answer() instanceof Granted seen && isSame(due, seen, now)) {
            fences = fences.and(Span.exactly(seen.fence().value()));
        } else if (call.answer() != null && !isEndedMeanwhile(call)) {
            return;
        }
        if (!fences.isEmpty()) {
            LeaseRecord next = Objects.requireNonNull(change.record());
            Possible rest = isNew ? before.without(Objects.requireNonNull(call.nonce())) : before;
            Span expiry = now.plus(next.expiryMicros() - NOW);
            after.add(new Possible(Possible.withoutTimes(next), fences, expiry, rest.line()));
        }
    }

    /** Whether the lease was ended by the caller's own nonce, or expired, before the call returned with this answer. */
    private boolean isEndedMeanwhile(Recorded call) {
        if (call.answer() instanceof Held) {
            return call.now().to() - call.now().from() > shortestTtl(call);
        }
        return (call.answer() instanceof Spent || call.answer() instanceof Settled)
                && endings.stream()
                        .anyMatch(ending -> Objects.equals(ending.nonce(), call.nonce())
                                && ending.called() < call.returned()
                                && ending.returned() > call.called());
    }

    /** Of the lease that this acquire may have been granted: another call with its nonce may have changed the TTL meanwhile. */
    private long shortestTtl(Recorded acquire) {
        return ttlChanges.stream()
                .filter(call -> Objects.equals(call.nonce(), acquire.nonce())
                        && !call.now().and(acquire.now()).isEmpty())
                .mapToLong(call -> ((NewTtl) call.request()).micros())
                .reduce(Micros.of(((AcquireRequest) acquire.request()).ttl()), Math::min);
    }

    /** Whether a grant is the one that is due, but for its fence and its checkpoint. */
    private boolean isSame(Granted due, Granted seen, Span now) {
        return seen.attempt() == due.attempt()
                && Objects.equals(seen.predecessor(), due.predecessor())
                && isNear(seen.remaining(), due.remaining(), now);
    }

    /** A new fence is larger than all before and not older than the clock; how much larger is the store's business. */
    private static Span newFences(Possible before, Span now) {
        return new Span(Math.max(before.fence().from() + 1, now.from()), Fence.MAX_VALUE);
    }

    private void held(
            Possible before, AcquireRequest request, Held due, Recorded call, Span now, List<Possible> after) {
        Possible waiting = request.waits() ? before.with(place(before, request, now)) : before;
        if (call.answer() == null) {
            after.add(waiting);
        } else if (call.answer() instanceof Held seen
                && seen.fence().equals(due.fence())
                && Objects.equals(seen.owner(), due.owner())
                && seen.ttl().equals(due.ttl())
                && (due.inLine() || !seen.inLine())) {
            addWithRemaining(seen.inLine() ? waiting : before, seen.remaining(), now, after);
        }
    }

    /** A place that is fresh stays as it is; else it lives for as long as the caller asks from now on. */
    private static Waiting place(Possible before, AcquireRequest request, Span now) {
        long life = Micros.of(request.placeLife());
        Place place =
                new Place(request.nonce(), request.owner(), Micros.of(request.ttl()), request.fingerprint(), 0, 0);
        Waiting old = before.line().get(request.nonce());
        Span fresh = now.plus(life);
        return old == null
                ? new Waiting(place, fresh)
                : new Waiting(
                        place,
                        new Span(
                                Math.max(old.until().from(), now.from() + life / 2),
                                Math.max(old.until().to(), fresh.to())));
    }

    private static boolean isSame(Settled due, Settled seen) {
        return seen.fence().equals(due.fence())
                && seen.attempts() == due.attempts()
                && seen.settlement().state() == due.settlement().state()
                && Objects.equals(seen.settlement().payload(), due.settlement().payload());
    }

    private void renew(Possible before, LeaseRef lease, Recorded call, List<Possible> after) {
        LeaseRecord example = before.example(LATER, List.of());
        Change<Optional<Renewal>> change = LeaseRules.renew(example, lease, NOW);
        if (change.result().isEmpty()) {
            if (call.answer() == null || call.renewal().isEmpty()) {
                after.add(before);
            }
            return;
        }
        Duration ttl = change.result().get().remaining();
        Duration seen = call.renewal().map(Renewal::remaining).orElse(null);
        if (call.answer() == null
                || (seen != null && (isNear(seen, ttl, call.now()) || isTtlGivenMeanwhile(seen, lease, call)))) {
            after.add(before.confirmed().withExpiry(call.now().plus(Micros.of(ttl))));
        }
        if (seen != null && seen.compareTo(ttl) < 0) {
            addWithRemaining(before, seen, call.now(), after);
        }
    }

    /** A store may read the TTL that it tells after it has renewed the lease. */
    private boolean isTtlGivenMeanwhile(Duration seen, LeaseRef lease, Recorded call) {
        return ttlChanges.stream()
                .filter(change -> !change.now().and(call.now()).isEmpty())
                .map(change -> (NewTtl) change.request())
                .anyMatch(change -> change.lease().equals(lease) && isNear(seen, change.ttl(), call.now()));
    }

    private void renew(Possible before, NewTtl asked, Recorded call, List<Possible> after) {
        LeaseRecord example = before.example(LATER, List.of());
        boolean isOurs = LeaseRules.renew(example, asked.lease(), asked.ttl(), NOW)
                .result()
                .isPresent();
        Renewal seen = call.renewal().orElse(null);
        if (!isOurs) {
            if (seen == null) {
                after.add(before);
            }
        } else if (seen != null && !seen.isExtended()) {
            addWithRemaining(before, seen.remaining(), call.now(), after);
        } else if (call.answer() == null || (seen != null && isNear(seen.remaining(), asked.ttl(), call.now()))) {
            after.add(before.withTtl(asked.ttl()).withExpiry(call.now().plus(asked.micros())));
        }
    }

    private void release(Possible before, ReleaseRequest request, Recorded call, List<Possible> after) {
        LeaseRecord example = before.example(LATER, List.of());
        Change<ReleaseResult> change = LeaseRules.release(example, request, NOW);
        if (call.answer() != null && call.answer() != change.result()) {
            return;
        }
        LeaseRecord free = change.record();
        if (Objects.equals(free, example)) {
            after.add(change.result() == ReleaseResult.NOT_HELD ? before.without(request.nonce()) : before);
            return;
        }
        Collection<Waiting> line = before.line().values();
        if (line.stream().allMatch(waiting -> waiting.mayHaveLapsed(call.now()))) {
            after.add(new Possible(
                    Possible.withoutTimes(Objects.requireNonNull(free)), before.fence(), Span.ANY, Map.of()));
        }
        for (Waiting waiting : line) {
            if (waiting.mayLive(call.now())) {
                after.add(handOver(before, waiting, request, call.now()));
            }
        }
        for (Recorded other : extensions) {
            if (other.request() instanceof AcquireRequest waiting
                    && waiting.waits()
                    && !(other.answer() instanceof Held)
                    && !before.line().containsKey(waiting.nonce())
                    && !other.now().and(call.now()).isEmpty()) {
                after.add(handOver(before, place(before, waiting, other.now()), request, call.now()));
            }
        }
    }

    private static Possible handOver(Possible before, Waiting next, ReleaseRequest request, Span now) {
        LeaseRecord example = before.example(LATER, List.of(example(next.place())));
        LeaseRecord held =
                Objects.requireNonNull(LeaseRules.release(example, request, NOW).record());
        return new Possible(
                Possible.withoutTimes(held),
                newFences(before, now),
                now.plus(held.expiryMicros() - NOW),
                before.without(next.place().nonce()).line());
    }

    private static void settle(Possible before, SettleRequest request, Recorded call, List<Possible> after) {
        LeaseRecord example = before.example(LATER, List.of());
        Change<SettleResult> change = LeaseRules.settle(example, request, NOW);
        if (call.answer() != null && call.answer() != change.result()) {
            return;
        }
        LeaseRecord next = change.record();
        if (next == null || next.equals(example)) {
            after.add(before);
        } else if (next.state() == State.HELD) {
            after.add(new Possible(Possible.withoutTimes(next), before.fence(), before.expiry(), before.line()));
        } else {
            after.add(new Possible(
                    Possible.withoutTimes(next),
                    before.fence(),
                    call.now().plus(next.expiryMicros() - NOW),
                    before.withDoubtfulLine().line()));
        }
    }

    private void look(Possible before, Look look, Recorded call, List<Possible> after) {
        LeaseSnapshot found = call.found().orElse(null);
        if (call.answer() == null || (found == null && before.record() == null)) {
            after.add(before);
        } else if (found != null && isSame(before, found.record()) && (!look.isAlone() || hasLine(before, found))) {
            Possible read = Possible.of(found.record());
            after.add(look.isAlone() ? read : read.withLine(before.line()));
        }
    }

    private boolean isSame(Possible before, LeaseRecord found) {
        return Possible.withoutTimes(found).equals(before.record())
                && before.fence().has(found.fence().value())
                && (found.state() == State.FREE || before.expiry().wider(tick).has(found.expiryMicros()));
    }

    /** A place that may have lapsed may be there or not. */
    private static boolean hasLine(Possible before, LeaseSnapshot found) {
        List<Nonce> there = new ArrayList<>();
        for (Place place : found.record().line()) {
            if (place.untilMicros() > found.nowMicros()) {
                there.add(place.nonce());
            }
        }
        Span now = Span.exactly(found.nowMicros());
        return before.line().keySet().containsAll(there)
                && before.line().values().stream()
                        .allMatch(waiting -> waiting.mayHaveLapsed(now)
                                || there.contains(waiting.place().nonce()));
    }

    private boolean isNear(Duration seen, Duration due, Span now) {
        long slack = now.to() - now.from() + tick;
        return Math.abs(Micros.of(seen) - Micros.of(due)) <= slack;
    }

    private void addWithRemaining(Possible before, Duration remaining, Span now, List<Possible> after) {
        Span told = remaining.isZero()
                ? Span.ANY.upTo(now.to() + tick)
                : now.plus(Micros.of(remaining)).wider(tick);
        Span expiry = before.expiry().and(told);
        if (!expiry.isEmpty()) {
            after.add(before.withExpiry(expiry));
        }
    }

    private static List<Place> places(Possible before) {
        return before.line().values().stream()
                .map(waiting -> example(waiting.place()))
                .toList();
    }

    private static Place example(Place place) {
        return new Place(place.nonce(), place.owner(), place.ttlMicros(), place.fingerprint(), NOW, LATER);
    }
}
