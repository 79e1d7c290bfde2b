package dev.leasehold.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What each verb does to a record, as pure functions of the record, the request and the store's clock.
 *
 * <p>Stores that read, decide and write under a lock or in a transaction of their own take their decisions from here.
 * For the others it is the definition they are tested against.
 */
public final class LeaseRules {
    /**
     * How long a lease lives that was handed over and not yet confirmed by its new holder: a waiter that died costs
     * this much and not a whole TTL.
     */
    public static final Duration HAND_OVER = Duration.ofSeconds(2);

    /**
     * How soon a caller asks again for a record that another transaction has locked. A store reports such a record as held
     * for this long; see {@link AcquireResult.Held#locked}.
     */
    public static final Duration LOCKED_RETRY = Duration.ofMillis(200);

    private LeaseRules() {}

    /**
     * What a verb decided.
     *
     * @param record what must be stored now: the very same object if nothing changes
     * @param wakeUps whom to tell, once the record is stored
     */
    public record Change<R>(@Nullable LeaseRecord record, R result, List<WakeUp> wakeUps) {
        static <R> Change<R> none(@Nullable LeaseRecord record, R result) {
            return new Change<>(record, result, List.of());
        }

        static <R> Change<R> to(LeaseRecord record, R result) {
            return new Change<>(record, result, List.of());
        }
    }

    public static Change<AcquireResult> acquire(@Nullable LeaseRecord record, AcquireRequest request, long now) {
        if (record == null) {
            return grant(request, 0, null, List.of(), Progress.NONE.nextAttempt(request.fingerprint(), null), now);
        }
        if (request.nonce().equals(record.tombstone())) {
            return Change.none(record, new AcquireResult.Spent());
        }
        Tenure tenure = record.tenure();
        boolean isMine = tenure != null && tenure.nonce().equals(request.nonce());
        if (record.state() == State.HELD && isMine) {
            LeaseRecord extended =
                    record.extended(now + Objects.requireNonNull(tenure).ttlMicros());
            return Change.to(extended, granted(extended, now));
        }
        boolean isForgotten = record.state().isSettled() && record.isOver(now);
        if (!isForgotten && contradict(record.progress().fingerprint(), request.fingerprint())) {
            return Change.none(record, new AcquireResult.Mismatch(record.fence(), record.state()));
        }
        return switch (record.state()) {
            case FREE -> acquireFree(record, request, now);
            case HELD -> acquireHeld(record, Objects.requireNonNull(tenure), request, now);
            case DONE, FAILED, HOLD ->
                isForgotten
                        ? grantNext(record, request, Progress.NONE.nextAttempt(request.fingerprint(), null), now)
                        : Change.none(record, settled(record, now));
        };
    }

    private static boolean contradict(@Nullable String recorded, @Nullable String asked) {
        return recorded != null && asked != null && !recorded.equals(asked);
    }

    private static Change<AcquireResult> acquireFree(LeaseRecord record, AcquireRequest request, long now) {
        if (record.isCooling(now) && !request.ignoresCooldown()) {
            return Change.none(record, new AcquireResult.Cooling(Micros.toDuration(record.expiryMicros() - now)));
        }
        return grantNext(record, request, record.progress().nextAttempt(request.fingerprint(), null), now);
    }

    private static Change<AcquireResult> acquireHeld(
            LeaseRecord record, Tenure holder, AcquireRequest request, long now) {
        boolean isExpired = record.expiryMicros() <= now - Micros.of(request.lockDelay());
        boolean isFromTheFuture =
                record.fence().equals(request.unmoved()) && record.expiryMicros() > now + holder.ttlMicros();
        if (isExpired || isFromTheFuture) {
            Progress progress = record.progress().nextAttempt(request.fingerprint(), predecessor(record, holder));
            return grantNext(record, request, progress, now);
        }
        LeaseRecord next = request.waits() ? standInLine(record, request, now) : record;
        return Change.to(
                next,
                new AcquireResult.Held(
                        holder.owner(),
                        record.fence(),
                        Micros.toDuration(Math.max(0, record.expiryMicros() - now)),
                        Micros.toDuration(holder.ttlMicros()),
                        Micros.toDuration(Math.max(0, now - holder.sinceMicros())),
                        request.waits()));
    }

    /**
     * A waiter that was handed a run and did not confirm it is no predecessor, because its work begins only after that.
     * The first grant of a record that was wiped may be a lock's, under which work begins with the wake-up.
     */
    private static @Nullable Predecessor predecessor(LeaseRecord record, Tenure holder) {
        Progress progress = record.progress();
        return !progress.isConfirmed() && progress.attempts() > 1
                ? null
                : new Predecessor(holder.owner(), record.fence());
    }

    /** A place that is still fresh is left alone, so that a poll only reads. */
    private static LeaseRecord standInLine(LeaseRecord record, AcquireRequest request, long now) {
        long life = Micros.of(request.placeLife());
        long since = now;
        int position = -1;
        List<Place> line = new ArrayList<>(record.line());
        for (int i = 0; i < line.size(); i++) {
            Place place = line.get(i);
            if (place.nonce().equals(request.nonce())) {
                if (place.untilMicros() - now > life / 2) {
                    return record;
                }
                since = place.sinceMicros();
                position = i;
            }
        }
        Place place = new Place(
                request.nonce(), request.owner(), Micros.of(request.ttl()), request.fingerprint(), since, now + life);
        if (position >= 0) {
            line.set(position, place);
        } else {
            line.add(place);
        }
        line.removeIf(other -> other.untilMicros() <= now);
        return record.withLine(line);
    }

    private static Change<AcquireResult> grantNext(
            LeaseRecord record, AcquireRequest request, Progress progress, long now) {
        return grant(
                request,
                record.fence().value(),
                record.tombstone(),
                without(record.line(), request.nonce()),
                progress,
                now);
    }

    private static Change<AcquireResult> grant(
            AcquireRequest request,
            long previousFence,
            @Nullable Nonce tombstone,
            List<Place> line,
            Progress progress,
            long now) {
        long ttl = Micros.of(request.ttl());
        LeaseRecord next = new LeaseRecord(
                request.key(),
                Fence.after(previousFence, now),
                State.HELD,
                new Tenure(request.nonce(), request.owner(), ttl, now),
                tombstone,
                now + ttl,
                0,
                progress,
                line);
        return Change.to(next, granted(next, now));
    }

    private static AcquireResult granted(LeaseRecord record, long now) {
        Progress progress = record.progress();
        return new AcquireResult.Granted(
                record.fence(),
                Micros.toDuration(record.expiryMicros() - now),
                progress.attempts(),
                progress.predecessor(),
                progress.payload());
    }

    private static AcquireResult settled(LeaseRecord record, long now) {
        Duration remaining = Micros.toDuration(record.expiryMicros() - now);
        Settlement settlement = new Settlement(record.state(), record.progress().payload(), remaining);
        return new AcquireResult.Settled(
                settlement, record.fence(), record.progress().attempts(), remaining);
    }

    public static Change<Optional<Renewal>> renew(@Nullable LeaseRecord record, LeaseRef lease, long now) {
        if (record == null || record.state() != State.HELD || !record.belongsTo(lease)) {
            return Change.none(record, Optional.empty());
        }
        return renew(
                record,
                lease,
                Micros.toDuration(Objects.requireNonNull(record.tenure()).ttlMicros()),
                now);
    }

    /** The same with another TTL, which the record keeps. */
    public static Change<Optional<Renewal>> renew(
            @Nullable LeaseRecord record, LeaseRef lease, Duration ttl, long now) {
        if (record == null || record.state() != State.HELD || !record.belongsTo(lease)) {
            return Change.none(record, Optional.empty());
        }
        long micros = Micros.of(ttl);
        Tenure tenure = Objects.requireNonNull(record.tenure()).withTtl(micros);
        LeaseRecord renewed =
                record.with(State.HELD, tenure, now + micros, record.progress().confirmed());
        return Change.to(renewed, Optional.of(new Renewal(lease, Micros.toDuration(micros))));
    }

    public static Change<ReleaseResult> release(@Nullable LeaseRecord record, ReleaseRequest request, long now) {
        if (record == null) {
            return Change.none(null, ReleaseResult.NOT_HELD);
        }
        if (isHeldBy(record, request)) {
            return end(record, request, now);
        }
        if (request.nonce().equals(record.tombstone())) {
            return Change.none(record, ReleaseResult.RELEASED);
        }
        List<Place> line = without(record.line(), request.nonce());
        boolean wasInLine = line.size() < record.line().size();
        return Change.none(wasInLine ? record.withLine(line) : record, ReleaseResult.NOT_HELD);
    }

    private static boolean isHeldBy(LeaseRecord record, ReleaseRequest request) {
        Tenure tenure = record.tenure();
        return tenure != null
                && tenure.nonce().equals(request.nonce())
                && (request.fence() == null || request.fence().equals(record.fence()))
                && (record.state() == State.HELD || request.ending() == ReleaseRequest.Ending.FORGET);
    }

    private static Change<ReleaseResult> end(LeaseRecord record, ReleaseRequest request, long now) {
        Progress kept = request.ending() == ReleaseRequest.Ending.KEEP_ATTEMPTS
                ? record.progress().ended()
                : Progress.NONE;
        List<Place> waiting = new ArrayList<>(record.line());
        waiting.removeIf(place -> place.untilMicros() <= now);
        // A waiter with another request must not be given this one's attempts and checkpoint: it is a mismatch.
        List<Place> passedOver = new ArrayList<>(waiting);
        passedOver.removeIf(place -> !contradict(kept.fingerprint(), place.fingerprint()));
        List<Place> line = new ArrayList<>(waiting);
        line.removeAll(passedOver);
        long cooldown = Micros.of(request.cooldown());
        if (line.isEmpty() || cooldown > 0) {
            LeaseRecord free = new LeaseRecord(
                    record.key(),
                    record.fence(),
                    State.FREE,
                    null,
                    request.nonce(),
                    now + cooldown,
                    cooldown,
                    kept,
                    List.of());
            return new Change<>(free, ReleaseResult.RELEASED, lookAgain(record.key(), waiting));
        }
        Change<ReleaseResult> handedOver = handOver(record, line.remove(0), line, request.nonce(), kept, now);
        List<WakeUp> wakeUps = new ArrayList<>(handedOver.wakeUps());
        wakeUps.addAll(lookAgain(record.key(), passedOver));
        return new Change<>(handedOver.record(), handedOver.result(), wakeUps);
    }

    private static Change<ReleaseResult> handOver(
            LeaseRecord record, Place place, List<Place> rest, Nonce tombstone, Progress kept, long now) {
        long life = Math.min(place.ttlMicros(), Micros.of(HAND_OVER));
        Progress progress = kept.handedOver(place.fingerprint());
        LeaseRecord next = new LeaseRecord(
                record.key(),
                Fence.after(record.fence().value(), now),
                State.HELD,
                new Tenure(place.nonce(), place.owner(), place.ttlMicros(), now),
                tombstone,
                now + life,
                0,
                progress,
                rest);
        WakeUp wakeUp = new WakeUp.HandedOver(
                new LeaseRef(record.key(), place.nonce(), next.fence()),
                Micros.toDuration(now - place.sinceMicros()),
                Micros.toDuration(life),
                progress.attempts());
        return new Change<>(next, ReleaseResult.RELEASED, List.of(wakeUp));
    }

    public static Change<SettleResult> settle(@Nullable LeaseRecord record, SettleRequest request, long now) {
        if (record == null || !record.belongsTo(request.lease())) {
            return Change.none(record, SettleResult.SUPERSEDED);
        }
        Settlement settlement = request.settlement();
        Progress progress = record.progress().confirmed().withPayload(settlement.payload());
        if (record.state() == State.HELD && settlement.isCheckpoint()) {
            return Change.to(checkpoint(record, request, progress), SettleResult.SETTLED);
        }
        boolean isSameAnswer =
                record.state() == settlement.state() && record.progress().equals(progress);
        boolean isAmended = request.amends() && (record.state() == State.HOLD || isSameAnswer);
        if (record.state() == State.HELD || isAmended) {
            long expiry = now + Micros.of(settlement.retention());
            LeaseRecord settled = record.with(settlement.state(), record.tenure(), expiry, progress)
                    .withLine(List.of());
            return new Change<>(settled, SettleResult.SETTLED, lookAgain(record.key(), record.line()));
        }
        return Change.none(record, isSameAnswer ? SettleResult.SETTLED : SettleResult.SUPERSEDED);
    }

    /** A late duplicate of an older checkpoint changes nothing. It counts as recorded: a newer one has replaced it. */
    private static LeaseRecord checkpoint(LeaseRecord record, SettleRequest request, Progress progress) {
        Tenure holder = Objects.requireNonNull(record.tenure());
        int number = request.checkpointNumber();
        return number < holder.checkpointNumber()
                ? record
                : record.with(State.HELD, holder.withCheckpoint(number), record.expiryMicros(), progress);
    }

    /**
     * Whether nobody can need the record any more: its state has been over for as long as it had to be kept, nobody
     * waits, and its fence is older than that too. So the next grant's fence is larger without it, even if the clock is
     * set back meanwhile, by less than the time it was kept.
     */
    public static boolean isPurgeable(LeaseRecord record, Duration retained, long now) {
        long then = now - Micros.of(retained);
        return record.isOver(then)
                && record.fence().value() < then
                && record.line().stream().allMatch(place -> place.untilMicros() <= now);
    }

    private static List<Place> without(List<Place> line, Nonce nonce) {
        return line.stream().filter(place -> !place.nonce().equals(nonce)).toList();
    }

    private static List<WakeUp> lookAgain(Key key, List<Place> line) {
        return line.stream()
                .<WakeUp>map(place -> new WakeUp.LookAgain(key, place.nonce()))
                .toList();
    }
}
