package dev.leasehold.tck.concurrency;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.SettleResult;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.Race;
import dev.leasehold.tck.concurrency.RandomCalls.Shared;
import dev.leasehold.tck.concurrency.Recorded.Look;
import dev.leasehold.tck.concurrency.Recorded.NewTtl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Random calls from many threads and two store objects on three keys, and whether their answers can be those of one
 * call after another.
 *
 * <p>The run is cut into segments. At the end of each, all threads stop and the records are read: the next segment
 * starts from there, so that each search is short.
 */
final class ConcurrencyCheck {
    private static final int THREADS = 12;
    private static final int KEYS = 3;
    /** Some 200 on each key in a segment. */
    private static final int CALLS_PER_THREAD = 50;

    private final List<LeaseStore> stores;
    private final StoreClock clock;
    private final long seed;
    private final List<Shared> shared = new ArrayList<>();
    private final List<KeyJudge> judges = new ArrayList<>();
    private final Set<String> outcomes = new TreeSet<>();
    private int segments;

    /**
     * @param stores two objects on the same data; or the same object twice
     * @param prefix what the keys begin with; nobody used such keys before
     */
    ConcurrencyCheck(List<LeaseStore> stores, String prefix, Duration tick, long seed) {
        this.stores = stores;
        this.seed = seed;
        long tickMicros = tick.toNanos() / 1_000;
        this.clock = new StoreClock(stores.get(0), Key.of(prefix + "clock"), tickMicros);
        for (int i = 0; i < KEYS; i++) {
            Key key = Key.of(prefix + i);
            shared.add(new Shared(key));
            judges.add(new KeyJudge(key, tickMicros));
        }
    }

    /** Goes on until something is wrong or the time is over. */
    Optional<String> run(Duration time) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        Optional<String> wrong = Optional.empty();
        while (wrong.isEmpty() && System.nanoTime() - end < 0) {
            wrong = segment().map(what -> "Seed " + seed + ", segment " + segments + ". " + what);
        }
        return wrong;
    }

    List<Key> keys() {
        return judges.stream().map(judge -> judge.key).toList();
    }

    /** What was answered, in words. */
    Set<String> outcomes() {
        return outcomes;
    }

    /** How many of the searches were given up, from 0 to 1. */
    double undecided() {
        return judges.stream().mapToDouble(KeyJudge::undecided).max().orElse(0);
    }

    private Optional<String> segment() throws Exception {
        segments++;
        Span before = clock.offset();
        Key withoutEnd = judges.get(segments % KEYS).key;
        List<RandomCalls> made = Race.of(THREADS, racer -> () -> {
            long mine = (seed * 1_000_003 + segments) * 31 + racer;
            return new RandomCalls("t" + racer, stores, shared, withoutEnd, mine).make(CALLS_PER_THREAD);
        });
        List<Recorded> all = new ArrayList<>();
        for (RandomCalls one : made) {
            StoreUnavailableException outage = one.outage();
            if (outage != null) {
                return Optional.of(outage(outage, one.calls()));
            }
            all.addAll(one.calls());
        }
        for (KeyJudge judge : judges) {
            all.add(look(judge.key));
        }
        Span offset = clock.between(before, clock.offset());
        return judge(all, offset);
    }

    private static String outage(StoreUnavailableException outage, Collection<Recorded> calls) {
        return "The store says that it is unavailable, and nothing was wrong with it: " + outage + " (cause: "
                + outage.getCause() + ")\n"
                + Wording.lines(calls.stream().filter(Recorded::isUnknown).toList());
    }

    private Recorded look(Key key) {
        long called = System.nanoTime();
        Object found = stores.get(0).find(key);
        return RandomCalls.recorded("end", new Look(key, true), found, called, System.nanoTime());
    }

    private Optional<String> judge(List<Recorded> all, Span offset) {
        all.forEach(this::note);
        for (KeyJudge judge : judges) {
            Optional<String> wrong = judge.violation(all.stream()
                    .filter(call -> call.key().equals(judge.key))
                    .map(call -> call.inStoreTime(offset))
                    .toList());
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        return Optional.empty();
    }

    private void note(Recorded call) {
        Object answer = call.answer();
        if (answer instanceof Optional<?> found) {
            String kind =
                    call.renewed() == null ? "Found" : call.request() instanceof NewTtl ? "TtlChanged" : "Renewed";
            outcomes.add(found.isPresent() ? kind : "Not" + kind);
        } else if (answer instanceof Granted granted && granted.predecessor() != null) {
            outcomes.add("TakenOver");
        } else if (answer != null) {
            outcomes.add(
                    answer instanceof Enum<?> || answer instanceof SettleResult
                            ? answer.toString()
                            : answer.getClass().getSimpleName());
        }
    }
}
