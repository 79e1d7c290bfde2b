package dev.leasehold.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Results that wait for listeners to hear of what led to them. While no thread has begun to tell the listeners, a result
 * waits for one for at most a second: all threads for callbacks may be busy with other clients' callbacks.
 */
final class HeldResults {
    private static final long LONGEST_NANOS = 1_000_000_000;

    private final Queue<Batch> batches = new ConcurrentLinkedQueue<>();

    /** The results of one step. Equal only to itself. */
    static final class Batch {
        private final List<Runnable> results;
        private final long end;

        private Batch(List<Runnable> results, long end) {
            this.results = results;
            this.end = end;
        }
    }

    Batch hold(List<Runnable> results, long nowNanos) {
        Batch batch = new Batch(results, nowNanos + LONGEST_NANOS);
        batches.add(batch);
        return batch;
    }

    /** A thread tells the listeners now, and passes on what is returned when they have heard; nothing if it waited too long. */
    List<Runnable> take(Batch batch) {
        return batches.remove(batch) ? batch.results : List.of();
    }

    /** Returns the results that waited for a thread too long. */
    List<Runnable> takeOverdue(long nowNanos) {
        List<Runnable> overdue = new ArrayList<>();
        for (Batch batch : batches) {
            if (batch.end <= nowNanos) {
                overdue.addAll(take(batch));
            }
        }
        return overdue;
    }
}
