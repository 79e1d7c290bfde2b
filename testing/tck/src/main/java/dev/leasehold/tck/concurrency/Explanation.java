package dev.leasehold.tck.concurrency;

import dev.leasehold.tck.history.Linearizability;
import dev.leasehold.tck.history.Linearizability.Operation;
import dev.leasehold.tck.history.Linearizability.Result;
import dev.leasehold.tck.history.Linearizability.Verdict;
import java.util.Comparator;
import java.util.List;

/** Why a history is not linearizable: the first answer that no order explains, and what came before it. */
final class Explanation {
    private static final int SHOWN = 40;

    private final IntervalRules rules;
    private final List<Recorded> calls;
    private final int mostSteps;

    Explanation(IntervalRules rules, List<Recorded> calls, int mostSteps) {
        this.rules = rules;
        this.calls = calls.stream()
                .sorted(Comparator.comparingLong(Recorded::returned))
                .toList();
        this.mostSteps = mostSteps;
    }

    /** What the calls look like until so many have returned; the others are under way, and may have an effect or not. */
    private Result<Possible, Recorded> upTo(int returned) {
        long cut = calls.get(returned - 1).returned();
        List<Operation<Recorded>> operations = calls.stream()
                .filter(call -> call.called() <= cut)
                .map(call ->
                        new Operation<>(call.called(), call.returned() <= cut ? call.returned() : Long.MAX_VALUE, call))
                .toList();
        return Linearizability.search(rules, operations, mostSteps);
    }

    /** The history up to each answer is linearizable before the first that does not fit, and never again after it. */
    private int firstBroken() {
        int good = 0;
        int broken = calls.size();
        while (broken - good > 1) {
            int middle = (good + broken) / 2;
            if (upTo(middle).verdict() == Verdict.BROKEN) {
                broken = middle;
            } else {
                good = middle;
            }
        }
        return broken;
    }

    @Override
    public String toString() {
        int first = firstBroken();
        Recorded culprit = calls.get(first - 1);
        List<Recorded> around = calls.stream()
                .filter(call -> call.called() <= culprit.returned())
                .sorted(Comparator.comparingLong(Recorded::called))
                .toList();
        List<Recorded> shown = around.subList(Math.max(0, around.size() - SHOWN), around.size());
        Result<Possible, Recorded> furthest = upTo(first);
        return "no order of these calls gives these answers. Of " + calls.size() + " calls, this is the first to return"
                + " with an answer that does not fit:\n"
                + Wording.lines(List.of(culprit))
                + "\nBefore it and at the same time, by their beginning (* has no place in the longest order found):\n"
                + Wording.lines(
                        shown,
                        furthest.order().stream().map(Operation::operation).toList())
                + "\nAfter that order: "
                + Wording.state(furthest.state(), culprit.now().to());
    }
}
