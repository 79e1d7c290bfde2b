package dev.leasehold.lease;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.State;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes what happens to a client's leases into its store's history, a little later and many at once, so that no lease
 * waits for it.
 *
 * <p>What the store cannot take for now is kept in a queue. When that is full, the latest are dropped, and an entry says
 * how many were.
 */
final class HistoryWriter implements AutoCloseable {
    static final int CAPACITY = 10_000;
    private static final int BATCH = 500;
    private static final Duration LINGER = Duration.ofMillis(50);
    private static final Duration SECOND_WIND = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration FLUSH_BUDGET = Duration.ofSeconds(1);

    private final History history;
    private final Clockwork clockwork;
    private final Clockwork.Alarm alarm;
    private final boolean isLogging;
    private final BlockingQueue<Pending> queue = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicBoolean isAwaited = new AtomicBoolean();
    private final AtomicLong dropped = new AtomicLong();
    private volatile @Nullable Key lastDropped;

    /** What could not be written yet. Guarded by this, as is all below. */
    private final List<Pending> batch = new ArrayList<>();

    private int failures;
    private boolean isTold;

    /** A note, and when it was made by our own clock. */
    private record Pending(long nanos, HistoryNote note) {}

    HistoryWriter(History history, Clockwork clockwork, boolean isLogging) {
        this.history = history;
        this.clockwork = clockwork;
        this.isLogging = isLogging;
        this.alarm = clockwork.newAlarm(this::sendWriter);
    }

    /** Without a thread to write on, it is tried again: no other event would set the alarm. */
    private void sendWriter() {
        try {
            clockwork.dispatch(this::write);
        } catch (RuntimeException | Error e) {
            setAlarm(SECOND_WIND);
            throw e;
        }
    }

    /** Takes note of an event, without waiting for anything. */
    void heard(LeaseEvent event) {
        HistoryNote note = note(event);
        if (note == null) {
            return;
        }
        long now = clockwork.now().nanos();
        if (!queue.offer(new Pending(now, note))) {
            lastDropped = note.key();
            dropped.incrementAndGet();
        }
        if (isAwaited.compareAndSet(false, true)) {
            setAlarm(LINGER);
        }
    }

    private static @Nullable HistoryNote note(LeaseEvent event) {
        if (event instanceof LeaseEvent.Acquired) {
            return note(event, HistoryKind.ACQUIRED, "");
        } else if (event instanceof LeaseEvent.Released) {
            return note(event, HistoryKind.RELEASED, "");
        } else if (event instanceof LeaseEvent.CleanupWarning warning) {
            return note(event, HistoryKind.RELEASED, warning.message());
        } else if (event instanceof LeaseEvent.Settled settled) {
            State as = settled.as();
            return note(event, HistoryKind.SETTLED, as == null ? "" : "as " + as);
        } else if (event instanceof LeaseEvent.Lost lost) {
            return note(event, HistoryKind.LOST, lost.why());
        } else if (event instanceof LeaseEvent.Refused refused) {
            return note(event, HistoryKind.SKIPPED, refused.why());
        } else if (event instanceof LeaseEvent.Failed failed && event.source().fence() == null) {
            return note(
                    event, HistoryKind.SKIPPED, String.valueOf(failed.error().getMessage()));
        }
        return null;
    }

    private static HistoryNote note(LeaseEvent event, HistoryKind kind, String reason) {
        LeaseEvent.Source source = event.source();
        return new HistoryNote(source.scope(), kind, source.owner(), source.fence(), reason, "", Duration.ZERO);
    }

    private synchronized void write() {
        isAwaited.set(false);
        while (fill()) {
            long telling = dropped.get();
            try {
                history.append(notes(telling));
            } catch (RuntimeException e) {
                failed(e);
                return;
            }
            batch.clear();
            dropped.addAndGet(-telling);
            failures = 0;
            isTold = false;
        }
    }

    private boolean fill() {
        queue.drainTo(batch, BATCH - batch.size());
        return !batch.isEmpty();
    }

    private List<HistoryNote> notes(long telling) {
        long now = clockwork.now().nanos();
        List<HistoryNote> notes = new ArrayList<>(batch.size() + 1);
        for (Pending pending : batch) {
            notes.add(pending.note().withAgo(Duration.ofNanos(now - pending.nanos())));
        }
        Key key = lastDropped;
        if (telling > 0 && key != null) {
            notes.add(HistoryNote.of(key, HistoryKind.DROPPED)
                    .withReason(
                            telling + " entries of one client were dropped: the store could not take them in time"));
        }
        return notes;
    }

    /** What may pass is tried again, less and less often; what will not is dropped, lest it stand in the way for ever. */
    private void failed(RuntimeException cause) {
        if (cause instanceof StoreException && !(cause instanceof StoreUnavailableException)) {
            lastDropped = batch.get(batch.size() - 1).note().key();
            dropped.addAndGet(batch.size());
            batch.clear();
        }
        if (isLogging && !isTold) {
            isTold = true;
            Log.LOGGER.log(
                    System.Logger.Level.WARNING,
                    "The history cannot be written; leases go on without it until it can. {0}",
                    cause.getMessage());
        }
        Duration pause = Duration.ofSeconds(1L << Math.min(failures++, 6));
        isAwaited.set(true);
        setAlarm(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
    }

    private void setAlarm(Duration pause) {
        alarm.setFor(clockwork.now().nanos() + pause.toNanos());
    }

    /** Writes what is still waiting, if that can be done soon. */
    @Override
    public void close() {
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        try {
            clockwork.dispatch(() -> {
                write();
                flushed.complete(null);
            });
            if (!Parking.untilDone(flushed, FLUSH_BUDGET) && isLogging) {
                Log.warn("The last entries of the history could not be written", null);
            }
        } catch (RuntimeException | Error e) {
            if (isLogging) {
                Log.warn("The last entries of the history could not be written", e);
            }
        } finally {
            alarm.close();
        }
    }
}
