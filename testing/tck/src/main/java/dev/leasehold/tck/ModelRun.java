package dev.leasehold.tck;

import static dev.leasehold.tck.Nearness.near;

import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseRules;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Renewal;
import dev.leasehold.store.SettleRequest;
import dev.leasehold.store.SettleResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Puts the same requests to a store and to {@link LeaseRules}, and compares every answer and every record.
 *
 * <p>The store's clock is read before and after each request, so the moment of its decision is known within bounds, or
 * exactly if the clock stands still. What the store has kept is what the model goes on with, so that small differences
 * do not add up.
 */
final class ModelRun {
    /** How the store differs from its model, with everything that was asked until then. */
    static final class Difference extends AssertionError {
        private static final long serialVersionUID = 1L;

        Difference(String what, List<Asked> trace) {
            super(what + trace.stream().map(asked -> "\n  " + asked).collect(Collectors.joining()));
        }
    }

    /** A renewal of a lease with another TTL. */
    record NewTtl(LeaseRef lease, Duration ttl) {}

    private record Asked(Object what, Object answer) {
        @Override
        public String toString() {
            return what + "\n    -> " + answer;
        }
    }

    private final LeaseStore store;
    private final StoreUnderTest underTest;
    private final Key clockKey;
    private final String prefix;
    private final ModelRequests requests;
    private final Map<Key, LeaseRecord> model = new TreeMap<>();
    private final List<Asked> trace = new ArrayList<>();
    private final Set<String> outcomes;

    /**
     * @param clockKey a key that has a record, by which to read the store's clock
     * @param outcomes where to note what happened
     */
    ModelRun(LeaseStore store, StoreUnderTest underTest, Key clockKey, String prefix, Set<String> outcomes) {
        this.store = store;
        this.underTest = underTest;
        this.clockKey = clockKey;
        this.prefix = prefix;
        this.outcomes = outcomes;
        boolean isTimeReal = underTest.traits().time() == StoreTraits.Time.REAL;
        this.requests =
                new ModelRequests(prefix, isTimeReal ? store.shortestTtl() : Duration.ofSeconds(10), isTimeReal);
    }

    /** Takes the steps, until the store and its model differ. */
    Optional<Difference> run(List<ModelStep> steps) throws Exception {
        try {
            for (ModelStep step : steps) {
                take(step);
            }
            return Optional.empty();
        } catch (Difference difference) {
            return Optional.of(difference);
        }
    }

    int stepsTaken() {
        return trace.size();
    }

    private void take(ModelStep step) throws Exception {
        ModelRequests.Draw draw = requests.draw(step.seed(), model);
        switch (step.verb()) {
            case ACQUIRE -> acquire(draw.acquire());
            case RENEW -> renew(draw.renew());
            case RENEW_WITH_TTL -> renew(draw.renewWithTtl());
            case RELEASE -> release(draw.release());
            case SETTLE -> settle(draw.settle());
            case ELAPSE -> letPass(draw.elapse(underTest.traits().tick()), false);
            case SET_BACK -> letPass(draw.setBack(), true);
            case PURGE -> purge(draw.retained());
            case LIST -> list(draw.limit());
        }
    }

    private void acquire(AcquireRequest request) {
        compare(
                request.key(),
                request,
                now -> LeaseRules.acquire(of(request.key()), request, now),
                () -> store.acquire(request));
    }

    private void release(ReleaseRequest request) {
        compare(
                request.key(),
                request,
                now -> LeaseRules.release(of(request.key()), request, now),
                () -> store.release(request));
    }

    private void settle(SettleRequest request) {
        Key key = request.lease().key();
        compare(key, request, now -> LeaseRules.settle(of(key), request, now), () -> store.settle(request));
    }

    private @Nullable LeaseRecord of(Key key) {
        return model.get(key);
    }

    private <R> void compare(Key key, Object request, LongFunction<Change<R>> rule, Supplier<R> call) {
        long before = now();
        R result = call.get();
        long after = now();
        trace.add(new Asked(request, result));
        outcomes.add(
                result instanceof Enum<?> || result instanceof SettleResult
                        ? result.toString()
                        : result.getClass().getSimpleName());
        compare(key, rule, result, before, after);
    }

    private <R> void compare(Key key, LongFunction<Change<R>> rule, R result, long before, long after) {
        LeaseRecord kept = store.find(key).map(LeaseSnapshot::record).orElse(null);
        Change<R> earliest = withoutLapsed(rule.apply(before), after);
        Change<R> latest = withoutLapsed(rule.apply(after), after);
        LeaseRecord found = kept == null ? null : withoutLapsed(kept, after);
        LeaseRecord old = of(key);
        long slack = after - before + (underTest.traits().tick().toNanos() / 1_000 - 1);
        if (!agrees(old, earliest, result, found, slack) && !agrees(old, latest, result, found, slack)) {
            throw differs("by its rules\n    -> " + earliest.result() + "\n    == " + earliest.record()
                    + "\n  but it answered\n    -> " + result + "\n    == " + kept + "\n  where there was\n    == "
                    + old);
        }
        if (old != null && kept != null && kept.fence().isOlderThan(old.fence())) {
            throw differs("the fence of " + key + " went back from " + old.fence() + " to " + kept.fence());
        }
        adopt(key, kept);
    }

    private static <R> Change<R> withoutLapsed(Change<R> change, long now) {
        LeaseRecord record = change.record();
        return record == null ? change : new Change<>(withoutLapsed(record, now), change.result(), change.wakeUps());
    }

    /** A place that has lapsed is as good as none, so a store may forget it whenever it likes. */
    private static LeaseRecord withoutLapsed(LeaseRecord record, long now) {
        return record.withLine(record.line().stream()
                .filter(place -> place.untilMicros() > now)
                .toList());
    }

    private static <R> boolean agrees(
            @Nullable LeaseRecord old, Change<R> rules, R result, @Nullable LeaseRecord kept, long slack) {
        LeaseRecord due = rules.record();
        boolean isGrant = due != null && (old == null || !old.fence().equals(due.fence()));
        if (isGrant && kept != null && due != null && due.fence().isOlderThan(kept.fence())) {
            // A new fence may be larger than it need be.
            return near(refenced(result, kept.fence(), due.fence()), rules.result(), slack)
                    && near(kept.withFence(due.fence()), due, slack);
        }
        return near(result, rules.result(), slack) && near(kept, due, slack);
    }

    private static Object refenced(Object result, Fence kept, Fence due) {
        return result instanceof Granted granted && granted.fence().equals(kept)
                ? new Granted(due, granted.remaining(), granted.attempt(), granted.predecessor(), granted.checkpoint())
                : result;
    }

    private void renew(List<LeaseRef> leases) {
        long before = now();
        List<Renewal> renewals = store.renew(leases);
        long after = now();
        trace.add(new Asked(leases, renewals));
        outcomes.add(renewals.isEmpty() ? "NotRenewed" : "Renewed");
        for (LeaseRef lease : leases) {
            Optional<Renewal> mine = renewals.stream()
                    .filter(renewal -> renewal.lease().equals(lease))
                    .findFirst();
            compare(lease.key(), now -> LeaseRules.renew(of(lease.key()), lease, now), mine, before, after);
        }
    }

    private void renew(NewTtl asked) {
        LeaseRef lease = asked.lease();
        long before = now();
        Optional<Renewal> renewal = store.renew(lease, asked.ttl());
        long after = now();
        trace.add(new Asked(asked, renewal));
        outcomes.add(renewal.isEmpty() ? "TtlNotChanged" : "TtlChanged");
        compare(lease.key(), now -> LeaseRules.renew(of(lease.key()), lease, asked.ttl(), now), renewal, before, after);
    }

    private void letPass(Duration time, boolean isBack) throws Exception {
        trace.add(new Asked(isBack ? "the clock goes back" : "time passes", time));
        if (isBack) {
            underTest.setBack(time);
        } else {
            underTest.elapse(time);
        }
        for (Key key : requests.keys()) {
            LeaseRecord kept = store.find(key).map(LeaseSnapshot::record).orElse(null);
            // Where the clock cannot be moved, the records are: then they are the test's own doing.
            if (underTest.traits().time() != StoreTraits.Time.MOVED && !near(kept, of(key), 0)) {
                throw differs("time alone changed the record\n    == " + of(key) + "\n  to\n    == " + kept);
            }
            adopt(key, kept);
        }
    }

    private void purge(Duration retained) {
        long before = now();
        int dropped = store.purge(retained, Integer.MAX_VALUE);
        long after = now();
        trace.add(new Asked("purge of what is over for " + retained, dropped));
        int gone = 0;
        for (Map.Entry<Key, LeaseRecord> entry : List.copyOf(model.entrySet())) {
            LeaseRecord record = entry.getValue();
            LeaseRecord kept =
                    store.find(entry.getKey()).map(LeaseSnapshot::record).orElse(null);
            boolean mayGo = LeaseRules.isPurgeable(record, retained, after);
            boolean mustGo = LeaseRules.isPurgeable(record, retained, before);
            if (kept == null ? !mayGo : mustGo || !near(kept, record, 0)) {
                throw differs("purge made of\n    == " + record + "\n  this\n    == " + kept);
            }
            gone += kept == null ? 1 : 0;
            adopt(entry.getKey(), kept);
        }
        outcomes.add(gone > 0 ? "Purged" : "NotPurged");
        if (dropped < gone) {
            throw differs("purge dropped " + gone + " records and said " + dropped);
        }
    }

    private void list(int limit) {
        List<LeaseRecord> listed = new ArrayList<>();
        Key after = null;
        do {
            Page page = store.list(ListRequest.of(prefix).withLimit(limit).after(after));
            page.records().forEach(snapshot -> listed.add(snapshot.record()));
            after = page.next();
        } while (after != null);
        trace.add(new Asked("list by " + limit, listed));
        if (!near(listed, List.copyOf(model.values()), 0)) {
            throw differs("the records are\n    == " + List.copyOf(model.values()));
        }
    }

    private long now() {
        return store.find(clockKey)
                .orElseThrow(() -> new AssertionError("The record of " + clockKey + " is gone."))
                .nowMicros();
    }

    private void adopt(Key key, @Nullable LeaseRecord record) {
        if (record == null) {
            model.remove(key);
        } else {
            model.put(key, record);
            requests.remember(record);
        }
    }

    private Difference differs(String how) {
        return new Difference("The store is not what it should be: " + how + "\n  after these requests:", trace);
    }
}
