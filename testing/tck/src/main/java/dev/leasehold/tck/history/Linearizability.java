package dev.leasehold.tck.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Searches for an order in which the operations could have happened one after another, each between its call and its
 * return, so that a sequential model gives the same answers (Wing, Gong and Lowe).
 *
 * <p>An operation whose reply was lost may have happened at any time after its call, or never; each such one doubles
 * the search, so keep histories small: 200 operations, 12 clients, 10 lost replies.
 */
public final class Linearizability {
    private Linearizability() {}

    /**
     * What an object should do, one operation after another.
     *
     * @param <S> its state: immutable, with equals and hashCode
     * @param <O> an operation together with the answer that was seen
     */
    public interface Model<S, O> {
        S initial();

        /**
         * Every state that the operation can lead to with the answer that was seen. Empty if the model would have
         * answered otherwise; more than one if the answer does not tell all.
         */
        Collection<S> apply(S state, O operation);

        /** Every state that the operation can lead to, whatever its answer would have been. */
        Collection<S> applyUnseen(S state, O operation);
    }

    /**
     * An operation in a history.
     *
     * @param returned when its answer came; {@link Long#MAX_VALUE} if it never did
     */
    public record Operation<O>(long called, long returned, O operation) {
        boolean isUnknown() {
            return returned == Long.MAX_VALUE;
        }
    }

    /** How a search can end. */
    public enum Verdict {
        LINEARIZABLE,
        /** There is no such order. */
        BROKEN,
        /** The search took more steps than it was allowed. */
        UNDECIDED
    }

    /**
     * What a search found.
     *
     * @param order the longest order found, which holds every operation that was answered if the history is linearizable
     * @param state the model's after that order
     */
    public record Result<S, O>(Verdict verdict, List<Operation<O>> order, S state) {}

    /** Whether there is such an order. */
    public static <S, O> boolean check(Model<S, O> model, List<Operation<O>> history) {
        return search(model, history, Integer.MAX_VALUE).verdict() == Verdict.LINEARIZABLE;
    }

    /** Searches for such an order, and gives up after this many steps. */
    public static <S, O> Result<S, O> search(Model<S, O> model, List<Operation<O>> history, int mostSteps) {
        List<Operation<O>> operations = new ArrayList<>(history);
        operations.sort(Comparator.comparingLong(Operation::called));
        return new Search<>(model, operations, mostSteps).run();
    }

    private static final class Search<S, O> {
        private final Model<S, O> model;
        private final List<Operation<O>> operations;
        private final Set<Node<S>> seen = new HashSet<>();
        private final Deque<Operation<O>> order = new ArrayDeque<>();
        private List<Operation<O>> longest = List.of();
        private S furthest;
        private int stepsLeft;

        private record Node<S>(S state, BitSet done) {}

        Search(Model<S, O> model, List<Operation<O>> operations, int mostSteps) {
            this.model = model;
            this.operations = operations;
            this.furthest = model.initial();
            this.stepsLeft = mostSteps;
        }

        Result<S, O> run() {
            boolean isFound = from(model.initial(), new BitSet());
            Verdict broken = stepsLeft > 0 ? Verdict.BROKEN : Verdict.UNDECIDED;
            return new Result<>(isFound ? Verdict.LINEARIZABLE : broken, longest, furthest);
        }

        boolean from(S state, BitSet done) {
            if (stepsLeft <= 0 || !seen.add(new Node<>(state, (BitSet) done.clone()))) {
                return false;
            }
            stepsLeft--;
            if (order.size() > longest.size()) {
                longest = List.copyOf(order);
                furthest = state;
            }
            long firstReturn = Long.MAX_VALUE;
            boolean isComplete = true;
            for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
                Operation<O> operation = operations.get(i);
                if (operation.called() > firstReturn) {
                    break;
                }
                firstReturn = Math.min(firstReturn, operation.returned());
                isComplete &= operation.isUnknown();
            }
            return isComplete || goOn(state, done, firstReturn);
        }

        /** Tries each operation that was called before any of the others returned. */
        private boolean goOn(S state, BitSet done, long firstReturn) {
            for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
                Operation<O> operation = operations.get(i);
                if (operation.called() > firstReturn) {
                    return false;
                }
                if (goOnWith(operation, i, state, done)) {
                    return true;
                }
            }
            return false;
        }

        private boolean goOnWith(Operation<O> operation, int index, S state, BitSet done) {
            Collection<S> next = operation.isUnknown()
                    ? model.applyUnseen(state, operation.operation())
                    : model.apply(state, operation.operation());
            if (next.isEmpty()) {
                return false;
            }
            done.set(index);
            order.addLast(operation);
            boolean isFound = false;
            for (S one : next) {
                isFound = isFound || from(one, done);
            }
            order.removeLast();
            done.clear(index);
            return isFound;
        }
    }
}
