package dev.leasehold.memory;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Micros;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The last entries, as many as fit. */
final class MemoryHistory implements History {
    private static final int MOST = 10_000;

    private final Deque<HistoryEntry> entries = new ArrayDeque<>();
    private final LongSupplier clockMicros;
    private long lastNumber;

    MemoryHistory(LongSupplier clockMicros) {
        this.clockMicros = clockMicros;
    }

    @Override
    public synchronized void append(List<HistoryNote> notes) {
        long now = clockMicros.getAsLong();
        for (HistoryNote note : notes) {
            entries.add(note.entry(++lastNumber, now));
            if (entries.size() > MOST) {
                entries.remove();
            }
        }
    }

    @Override
    public synchronized List<HistoryEntry> read(HistoryRequest request) {
        Stream<HistoryEntry> inOrder = request.order() == HistoryRequest.Order.OLDEST_FIRST
                ? entries.stream()
                : StreamSupport.stream(((Iterable<HistoryEntry>) entries::descendingIterator).spliterator(), false);
        return inOrder.filter(request::covers).limit(request.limit()).toList();
    }

    @Override
    public synchronized int forget(Duration olderThan, int limit) {
        long then = clockMicros.getAsLong() - Micros.of(olderThan);
        int dropped = 0;
        for (Iterator<HistoryEntry> all = entries.iterator(); all.hasNext() && dropped < limit; ) {
            if (all.next().atMicros() < then) {
                all.remove();
                dropped++;
            }
        }
        return dropped;
    }
}
