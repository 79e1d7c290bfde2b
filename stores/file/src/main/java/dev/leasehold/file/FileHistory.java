package dev.leasehold.file;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Micros;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The history in files that are only appended to. A new one is begun every hour or four megabytes, and once all entries
 * of a file are old enough it is deleted. Writers take turns; readers wait for nobody and pass over what a writer that
 * died left half written.
 */
final class FileHistory implements History {
    static final Duration SPAN = Duration.ofHours(1);
    private static final long MOST_BYTES = 4L << 20;

    private final Path directory;
    private final Disk disk;
    private final LongSupplier clockMicros;
    private final HistoryTurn turn;

    FileHistory(Path directory, Disk disk, LongSupplier clockMicros) {
        this.directory = directory;
        this.disk = disk;
        this.clockMicros = clockMicros;
        this.turn = new HistoryTurn(directory.resolve("lock"), disk);
    }

    @Override
    public void append(List<HistoryNote> notes) {
        if (notes.isEmpty()) {
            return;
        }
        inTurn("write", () -> {
            long now = clockMicros.getAsLong();
            HistorySegment last = last(now);
            StringBuilder lines = new StringBuilder();
            if (!disk.endsWith(last.file(), '\n')) {
                lines.append('\n'); // Whoever wrote last died in the middle of a line.
            }
            notes.forEach(note -> lines.append(HistoryLine.of(note, now)));
            disk.append(last.file(), lines.toString().getBytes(StandardCharsets.UTF_8));
            return notes.size();
        });
    }

    /** The file to append to. */
    private HistorySegment last(long now) throws IOException {
        List<HistorySegment> all = HistorySegment.in(directory, disk);
        if (all.isEmpty()) {
            return begin(0, now);
        }
        HistorySegment last = all.get(all.size() - 1);
        boolean isOver = disk.size(last.file()) >= MOST_BYTES || now - last.startMicros(disk) >= Micros.of(SPAN);
        return isOver ? next(last, now) : last;
    }

    private HistorySegment next(HistorySegment last, long now) throws IOException {
        return begin(last.base() + disk.size(last.file()), now);
    }

    private HistorySegment begin(long base, long now) throws IOException {
        HistorySegment segment = HistorySegment.at(directory, base);
        disk.write(segment.file(), HistorySegment.head(now));
        disk.forceDirectory(directory);
        return segment;
    }

    @Override
    public List<HistoryEntry> read(HistoryRequest request) {
        try {
            List<HistorySegment> all = HistorySegment.in(directory, disk);
            return request.order() == HistoryRequest.Order.OLDEST_FIRST
                    ? forward(all, request)
                    : backward(all, request);
        } catch (IOException e) {
            throw IoFailure.of("read the history in " + directory, e);
        }
    }

    private List<HistoryEntry> forward(List<HistorySegment> all, HistoryRequest request) throws IOException {
        List<HistoryEntry> found = new ArrayList<>();
        for (int i = 0; i < all.size() && found.size() < request.limit(); i++) {
            boolean isSeen = i + 1 < all.size() && all.get(i + 1).base() <= request.last();
            if (!isSeen) {
                add(all.get(i).entriesAfter(request.last(), disk), request, found);
            }
        }
        return found;
    }

    private List<HistoryEntry> backward(List<HistorySegment> all, HistoryRequest request) throws IOException {
        List<HistoryEntry> found = new ArrayList<>();
        for (int i = all.size() - 1; i >= 0 && found.size() < request.limit(); i--) {
            boolean isSeen = request.last() > 0 && all.get(i).base() >= request.last();
            if (!isSeen) {
                List<HistoryEntry> entries = all.get(i).entriesAfter(0, disk);
                Collections.reverse(entries);
                add(entries, request, found);
            }
        }
        return found;
    }

    private static void add(List<HistoryEntry> entries, HistoryRequest request, List<HistoryEntry> found) {
        entries.stream()
                .filter(request::covers)
                .limit(request.limit() - (long) found.size())
                .forEach(found::add);
    }

    @Override
    public int forget(Duration olderThan, int limit) {
        if (!disk.isDirectory(directory)) {
            return 0;
        }
        return inTurn("tidy", () -> {
            long now = clockMicros.getAsLong();
            long then = now - Micros.of(olderThan);
            List<HistorySegment> all = HistorySegment.in(directory, disk);
            int dropped = 0;
            for (int i = 0; i < all.size() && dropped < limit; i++) {
                HistorySegment segment = all.get(i);
                List<HistoryEntry> entries = segment.entriesAfter(0, disk);
                boolean isLast = i == all.size() - 1;
                if ((isLast && entries.isEmpty()) || entries.stream().anyMatch(entry -> entry.atMicros() >= then)) {
                    break;
                }
                if (isLast) {
                    next(segment, now); // Numbers go on from where it ends.
                }
                disk.delete(segment.file());
                dropped += entries.size();
            }
            return dropped;
        });
    }

    private int inTurn(String verb, HistoryTurn.Work<Integer> work) {
        try {
            disk.makeLastDirectory(directory);
            return turn.take(work);
        } catch (NoSuchFileException e) {
            throw IoFailure.removed(verb + " the history in " + directory, e);
        } catch (IOException e) {
            throw IoFailure.of(verb + " the history in " + directory, e);
        }
    }
}
