package dev.leasehold.redis;

import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The history as a stream. The ids of its entries are their numbers, and these are the server's time in microseconds, or
 * one more than the last: so they grow also if everything was lost. What is wanted is picked inside the server, some
 * entries at a time, so that others are not held up.
 */
final class RedisHistory implements History {
    private static final int LOOKED_AT_ONCE = 2_000;

    private final Redis redis;
    private final byte[] stream;

    RedisHistory(Redis redis, byte[] stream) {
        this.redis = redis;
        this.stream = stream;
    }

    @Override
    public void append(List<HistoryNote> notes) {
        if (notes.isEmpty()) {
            return;
        }
        List<byte[]> words = new ArrayList<>(7 * notes.size());
        for (HistoryNote note : notes) {
            words.add(note.key().utf8());
            words.add(Bytes.of(note.ago()));
            words.add(Bytes.of(note.kind().name()));
            words.add(Bytes.orNothing(note.owner()));
            words.add(Bytes.orNothing(note.fence()));
            words.add(Bytes.of(note.reason()));
            words.add(Bytes.of(note.actor()));
        }
        redis.ask(Call.of(Script.HISTORY_APPEND, List.of(stream), words));
    }

    @Override
    public List<HistoryEntry> read(HistoryRequest request) {
        boolean isForward = request.order() == HistoryRequest.Order.OLDEST_FIRST;
        List<HistoryEntry> entries = new ArrayList<>();
        long last = request.last();
        boolean isMore = true;
        while (isMore && entries.size() < request.limit()) {
            List<?> answer = look(request, isForward, last, request.limit() - entries.size());
            for (Object found : (List<?>) answer.get(1)) {
                entries.add(entry((List<?>) found));
            }
            Object seen = answer.get(0);
            isMore = seen != null;
            last = seen == null ? last : Bytes.number(seen);
        }
        return entries;
    }

    private List<?> look(HistoryRequest request, boolean isForward, long last, int wanted) {
        List<byte[]> words = new ArrayList<>();
        if (isForward) {
            words.addAll(List.of(Bytes.of("XRANGE"), Bytes.of(last + 1), Bytes.of("+")));
        } else {
            words.addAll(List.of(Bytes.of("XREVRANGE"), Bytes.of(last == 0 ? "+" : Long.toString(last - 1))));
            words.add(Bytes.of("-"));
        }
        Key key = request.key();
        words.add(Bytes.of(LOOKED_AT_ONCE));
        words.add(Bytes.of(wanted));
        words.add(key == null ? Bytes.NOTHING : key.utf8());
        words.add(key == null ? Bytes.of(request.prefix()) : Bytes.NOTHING);
        request.kinds().forEach(kind -> words.add(Bytes.of(kind.name())));
        return (List<?>) Objects.requireNonNull(redis.ask(Call.of(Script.HISTORY_READ, List.of(stream), words)));
    }

    private static HistoryEntry entry(List<?> found) {
        List<?> fields = (List<?>) found.get(1);
        String owner = Bytes.text(fields.get(7));
        String fence = Bytes.text(fields.get(9));
        return new HistoryEntry(
                Bytes.number(found.get(0)),
                Bytes.number(fields.get(3)),
                Key.of(Bytes.text(fields.get(1))),
                new HistoryKind(Bytes.text(fields.get(5))),
                owner.isEmpty() ? null : Owner.of(owner),
                fence.isEmpty() ? null : Fence.of(Long.parseLong(fence)),
                Bytes.text(fields.get(11)),
                Bytes.text(fields.get(13)));
    }

    /** Looks at every entry: they are in the order in which they were written, and not in that of their times. */
    @Override
    public int forget(Duration olderThan, int limit) {
        int dropped = 0;
        long next = 0;
        while (next >= 0 && dropped < limit) {
            List<?> answer = (List<?>) Objects.requireNonNull(redis.ask(Call.of(
                    Script.HISTORY_FORGET,
                    stream,
                    Bytes.of(next),
                    Bytes.of(LOOKED_AT_ONCE),
                    Bytes.of(limit - dropped),
                    Bytes.of(olderThan))));
            dropped += ((Long) answer.get(1)).intValue();
            Object seen = answer.get(0);
            next = seen == null ? -1 : Bytes.number(seen) + 1;
        }
        return dropped;
    }
}
