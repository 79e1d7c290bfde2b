package dev.leasehold.faults;

import dev.leasehold.tck.history.AnswerChecker;
import dev.leasehold.tck.history.CallChecker;
import dev.leasehold.tck.history.FenceChecker;
import dev.leasehold.tck.history.History;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import dev.leasehold.tck.history.LossChecker;
import dev.leasehold.tck.history.OverlapChecker;
import dev.leasehold.tck.history.Violation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Judges a cell by its merged history. A cell in which little happened is not good but void. */
final class Verdict {
    private static final int LEAST_GRANTS = 40;
    private static final int MOST_TOLD = 5;

    private final FaultCase fault;
    private final History history;
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private final List<Violation> violations = new ArrayList<>();

    Verdict(FaultCase fault, History history) {
        this.fault = fault;
        this.history = history;
        for (HistoryEvent event : history.events()) {
            counts.merge(event.kind(), 1, Integer::sum);
        }
        violations.addAll(FenceChecker.check(history));
        violations.addAll(OverlapChecker.check(history));
        violations.addAll(CallChecker.check(history));
        violations.addAll(AnswerChecker.check(history));
        violations.addAll(LossChecker.check(history));
    }

    int count(Kind kind) {
        return counts.getOrDefault(kind, 0);
    }

    /** All that ended one way or another. */
    int operations() {
        return count(Kind.ACQUIRED)
                + count(Kind.REFUSED)
                + count(Kind.UNKNOWN)
                + count(Kind.RELEASED)
                + count(Kind.EFFECT)
                + count(Kind.STALE_EFFECT)
                + count(Kind.ANSWERED);
    }

    /** How often a promise was broken, also one that the fault may break. */
    int broken(String... promises) {
        Set<String> wanted = Set.of(promises);
        return (int) violations.stream()
                .filter(violation -> wanted.contains(violation.promise()))
                .count();
    }

    /** What must not be, the first few of each kind. */
    List<String> findings(FaultCase.Evidence evidence) {
        List<String> findings = new ArrayList<>(voids(evidence));
        Map<String, Integer> told = new HashMap<>();
        for (Violation violation : violations) {
            boolean isNews = told.merge(violation.promise(), 1, Integer::sum) <= MOST_TOLD;
            if (isNews && !fault.waives().contains(violation.promise())) {
                findings.add(violation.toString());
            }
        }
        return findings;
    }

    private List<String> voids(FaultCase.Evidence evidence) {
        List<String> voids = new ArrayList<>();
        if (evidence.count() <= 0) {
            voids.add("tested nothing: the fault did not strike (" + evidence.what() + ")");
        }
        if (count(Kind.ACQUIRED) < LEAST_GRANTS) {
            voids.add("tested nothing: only " + count(Kind.ACQUIRED) + " grants");
        }
        for (Kind expected : new TreeSet<>(fault.expects())) {
            if (count(expected) == 0) {
                voids.add("tested nothing: no " + expected);
            }
        }
        Set<String> keys = new TreeSet<>();
        history.events().stream().filter(event -> event.kind() == Kind.EFFECT).forEach(event -> keys.add(event.key()));
        if (keys.size() < Shift.KEYS) {
            voids.add("tested nothing: writes under " + keys + " only");
        }
        return voids;
    }
}
