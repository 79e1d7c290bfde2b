package dev.leasehold.tck.concurrency;

import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Place;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a record: all of it but for its times, and bounds of those.
 *
 * @param record without fence, times and line; {@code null} if there is none
 * @param line who waits, in no order: which of them gets the key next is the store's choice
 */
record Possible(@Nullable LeaseRecord record, Span fence, Span expiry, Map<Nonce, Waiting> line) {
    /** A place in line, and until when it lives. */
    record Waiting(Place place, Span until) {
        boolean mayLive(Span now) {
            return until.to() > now.from();
        }

        boolean mayHaveLapsed(Span now) {
            return until.from() <= now.to();
        }
    }

    static final Possible NOTHING = new Possible(null, Span.exactly(0), Span.ANY, Map.of());

    Possible {
        line = Map.copyOf(line);
    }

    /** The record as it was read. */
    static Possible of(@Nullable LeaseRecord read) {
        if (read == null) {
            return NOTHING;
        }
        Map<Nonce, Waiting> line = new HashMap<>();
        read.line()
                .forEach(place ->
                        line.put(place.nonce(), new Waiting(withoutTimes(place), Span.exactly(place.untilMicros()))));
        Span expiry = read.state() == State.FREE ? Span.ANY : Span.exactly(read.expiryMicros());
        return new Possible(withoutTimes(read), Span.exactly(read.fence().value()), expiry, line);
    }

    static LeaseRecord withoutTimes(LeaseRecord record) {
        Tenure tenure = record.tenure();
        return new LeaseRecord(
                record.key(),
                Fence.of(1),
                record.state(),
                tenure == null ? null : withoutTimes(tenure),
                record.tombstone(),
                0,
                0,
                record.progress(),
                List.of());
    }

    private static Tenure withoutTimes(Tenure tenure) {
        return new Tenure(tenure.nonce(), tenure.owner(), tenure.ttlMicros(), 0, tenure.checkpointNumber());
    }

    static Place withoutTimes(Place place) {
        return new Place(place.nonce(), place.owner(), place.ttlMicros(), place.fingerprint(), 0, 0);
    }

    boolean isIn(State state) {
        return record != null && record.state() == state;
    }

    boolean belongsTo(Nonce nonce) {
        return record != null
                && record.tenure() != null
                && record.tenure().nonce().equals(nonce);
    }

    /** Of the holder, while there is one. */
    long ttlMicros() {
        return record == null || record.tenure() == null ? 0 : record.tenure().ttlMicros();
    }

    /** A record of this kind, with this expiry and these in line. */
    @Nullable
    LeaseRecord example(long expiryMicros, List<Place> places) {
        return record == null
                ? null
                : new LeaseRecord(
                        record.key(),
                        Fence.of(fence.from()),
                        record.state(),
                        record.tenure(),
                        record.tombstone(),
                        expiryMicros,
                        0,
                        record.progress(),
                        places);
    }

    /** The same with each of these fences that it can have; and as it is, if it can have others. */
    List<Possible> withFences(Collection<Fence> candidates) {
        if (record == null || fence.isExact()) {
            return List.of(this);
        }
        List<Possible> all = new ArrayList<>();
        for (Fence candidate : candidates) {
            if (fence.has(candidate.value())) {
                all.add(new Possible(record, Span.exactly(candidate.value()), expiry, line));
            }
        }
        all.add(this);
        return all;
    }

    Possible withExpiry(Span other) {
        return new Possible(record, fence, other, line);
    }

    /** The holder was heard of, which confirms a hand-over. */
    Possible confirmed() {
        LeaseRecord example = example(0, List.of());
        LeaseRef ref = example == null || example.state() != State.HELD ? null : example.ref();
        LeaseRecord heard =
                ref == null ? null : LeaseRules.renew(example, ref, 0).record();
        return heard == null ? this : new Possible(withoutTimes(heard), fence, expiry, line);
    }

    /** The holder renewed with this TTL, which confirms a hand-over too. */
    Possible withTtl(Duration ttl) {
        LeaseRecord example = example(0, List.of());
        LeaseRef ref = example == null ? null : example.ref();
        LeaseRecord renewed =
                ref == null ? null : LeaseRules.renew(example, ref, ttl, 0).record();
        return renewed == null ? this : new Possible(withoutTimes(renewed), fence, expiry, line);
    }

    Possible withLine(Map<Nonce, Waiting> others) {
        return new Possible(record, fence, expiry, others);
    }

    /** The same, but each place may be gone already. */
    Possible withDoubtfulLine() {
        Map<Nonce, Waiting> doubtful = new HashMap<>();
        line.forEach((nonce, waiting) -> doubtful.put(
                nonce,
                new Waiting(
                        waiting.place(),
                        new Span(Span.ANY.from(), waiting.until().to()))));
        return withLine(doubtful);
    }

    Possible without(Nonce nonce) {
        Map<Nonce, Waiting> rest = new HashMap<>(line);
        rest.remove(nonce);
        return withLine(rest);
    }

    Possible with(Waiting waiting) {
        Map<Nonce, Waiting> more = new HashMap<>(line);
        more.put(waiting.place().nonce(), waiting);
        return withLine(more);
    }
}
