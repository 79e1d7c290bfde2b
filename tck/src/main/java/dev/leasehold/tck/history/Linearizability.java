package dev.leasehold.tck.history;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Searches for an order in which the operations could have happened one after another, each between its call and its
 * return, so that a sequential model gives the same answers (Wing, Gong and Lowe).
 *
 * <p>An operation whose reply was lost may have happened at any time after its call, or never; each such one doubles
 * the search, so keep histories small: 200 operations, 8 clients, 10 lost replies.
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

        /** The state after the operation, or empty if the model would have answered otherwise. */
        Optional<S> apply(S state, O operation);

        /** The state after the operation, whatever its answer would have been. */
        S applyUnseen(S state, O operation);
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

    /** Whether there is such an order. */
    public static <S, O> boolean check(Model<S, O> model, List<Operation<O>> history) {
        List<Operation<O>> operations = new ArrayList<>(history);
        operations.sort(Comparator.comparingLong(Operation::called));
        return new Search<>(model, operations).from(model.initial(), new BitSet());
    }

    private static final class Search<S, O> {
        private final Model<S, O> model;
        private final List<Operation<O>> operations;
        private final Set<Node<S>> seen = new HashSet<>();

        private record Node<S>(S state, BitSet done) {}

        Search(Model<S, O> model, List<Operation<O>> operations) {
            this.model = model;
            this.operations = operations;
        }

        boolean from(S state, BitSet done) {
            if (!seen.add(new Node<>(state, (BitSet) done.clone()))) {
                return false;
            }
            long firstReturn = Long.MAX_VALUE;
            boolean isComplete = true;
            for (int i = done.nextClearBit(0); i < operations.size(); i = done.nextClearBit(i + 1)) {
                Operation<O> operation = operations.get(i);
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
                Optional<S> next = operation.isUnknown()
                        ? Optional.of(model.applyUnseen(state, operation.operation()))
                        : model.apply(state, operation.operation());
                if (next.isPresent()) {
                    done.set(i);
                    boolean isFound = from(next.get(), done);
                    done.clear(i);
                    if (isFound) {
                        return true;
                    }
                }
            }
            return false;
        }
    }
}
