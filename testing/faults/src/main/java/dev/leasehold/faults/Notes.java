package dev.leasehold.faults;

import dev.leasehold.lease.Lease;
import dev.leasehold.tck.history.HistoryEvent;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What happens to one client, written line by line as it happens, since the client may be killed at any moment. Times are
 * the system's monotonic clock, whatever clocks the client itself goes by. Safe for use by many threads.
 */
final class Notes implements AutoCloseable {
    private final String client;
    private final FileChannel file;
    private final StringBuilder unwritten = new StringBuilder();
    private long end;

    Notes(String client, Path path) throws IOException {
        this.client = client;
        this.file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    void note(Kind kind, String key, String nonce, long fence) {
        add(new HistoryEvent(System.nanoTime(), kind, client, key, nonce, fence, 0));
    }

    void note(Kind kind, Lease lease) {
        note(kind, lease.key().value(), lease.id(), lease.fence().value());
    }

    /** It thinks itself the holder, for now. */
    void holds(Kind kind, Lease lease) {
        // In this order: a process that is stopped in between seems to hold for a shorter time than it does.
        long now = System.nanoTime();
        long until = now + lease.remaining().toNanos();
        if (kind == Kind.ACQUIRED || until > now) {
            add(new HistoryEvent(
                    now,
                    kind,
                    client,
                    lease.key().value(),
                    lease.id(),
                    lease.fence().value(),
                    until));
        }
    }

    /** It thinks itself the holder until it says otherwise, since it does not know how long it is. */
    void holdsForEver(String key, long fence) {
        add(new HistoryEvent(
                System.nanoTime(), Kind.ACQUIRED, client, key, Long.toString(fence), fence, Long.MAX_VALUE));
    }

    /** If there is no room on the disk now, there may be later. */
    private synchronized void add(HistoryEvent event) {
        unwritten.append(event.toJson()).append('\n');
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(unwritten.toString());
        try {
            long at = end;
            while (bytes.hasRemaining()) {
                at += file.write(bytes, at);
            }
            end = at;
            unwritten.setLength(0);
        } catch (IOException e) {
            truncate();
        }
    }

    private void truncate() {
        try {
            file.truncate(end);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws IOException if something could not be written to the end */
    @Override
    public synchronized void close() throws IOException {
        file.close();
        if (!unwritten.isEmpty()) {
            throw new IOException("Lines that found no room: " + unwritten);
        }
    }
}
