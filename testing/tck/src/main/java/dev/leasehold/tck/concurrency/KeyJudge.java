package dev.leasehold.tck.concurrency;

import dev.leasehold.store.Key;
import dev.leasehold.tck.history.Linearizability;
import dev.leasehold.tck.history.Linearizability.Operation;
import dev.leasehold.tck.history.Linearizability.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Judges the calls on one key, segment by segment. */
final class KeyJudge {
    private static final int MOST_STEPS = 200_000;

    final Key key;
    private final long tick;
    private Possible known = Possible.NOTHING;
    private List<Recorded> previous = List.of();
    private int searches;
    private int undecided;

    KeyJudge(Key key, long tickMicros) {
        this.key = key;
        this.tick = tickMicros;
    }

    /** The first thing that is wrong with these calls, of which the last is a look at the record when all was quiet. */
    Optional<String> violation(List<Recorded> calls) {
        Optional<String> disorder = disorder(calls);
        List<Recorded> recent = new ArrayList<>(previous);
        recent.addAll(calls);
        Optional<String> oracle = new RealTimeOracles(recent, tick).violation();
        previous = calls;
        Recorded end = calls.get(calls.size() - 1);
        known = Possible.of(end.found().map(found -> found.record()).orElse(null));
        List<String> all = new ArrayList<>();
        oracle.ifPresent(all::add);
        disorder.ifPresent(all::add);
        return all.isEmpty() ? Optional.empty() : Optional.of("Key " + key + ": " + String.join("\n", all));
    }

    private Optional<String> disorder(List<Recorded> calls) {
        List<Operation<Recorded>> operations = calls.stream()
                .map(call -> new Operation<>(call.called(), call.returned(), call))
                .toList();
        IntervalRules rules = new IntervalRules(known, tick, calls);
        Verdict verdict = Linearizability.search(rules, operations, MOST_STEPS).verdict();
        searches++;
        undecided += verdict == Verdict.UNDECIDED ? 1 : 0;
        return verdict == Verdict.BROKEN
                ? Optional.of(new Explanation(rules, calls, MOST_STEPS).toString())
                : Optional.empty();
    }

    /** The share of searches that were given up; of 40 if there were fewer, so that a single one does not count for much. */
    double undecided() {
        return (double) undecided / Math.max(40, searches);
    }
}
