package dev.leasehold.servers.firestore;

import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.Document;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file behind the documents: one frame for each commit.
 *
 * <p>The file begins with {@code LHFS1} and a line feed. A frame is a header of 12 bytes (the length of its body, the
 * body's CRC-32C, and the CRC-32C of those 8 bytes), then the body: the commit time in microseconds (8 bytes), the
 * number of documents (4), and each as a delimited {@code BatchGetDocumentsResponse}, found or missing. Bytes at
 * the end that are no frame are of a commit that was cut short and never acknowledged, and are dropped; damage that is
 * followed by a good frame is an error. The file is rewritten
 * without what is out of date when it is opened, and whenever it has grown to three times its size after the last time. A file of the same name with {@code .lock} keeps a second server out.
 */
final class Journal implements Closeable {
    private static final byte[] MAGIC = "LHFS1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int HEADER = 12;
    /** A file smaller than this is not worth rewriting while the server runs. */
    private static final long SMALL = 16L << 20;

    private static final System.Logger LOG = System.getLogger(FirestoreServer.class.getName());

    private final Path file;
    private final boolean sync;
    private final FileChannel guard;
    private @Nullable FileChannel out;
    private @Nullable IOException broken;
    private long lastMicros;
    private long compactedSize;

    private Journal(Path file, boolean sync, FileChannel guard) {
        this.file = file;
        this.sync = sync;
        this.guard = guard;
    }

    /**
     * Locks the file.
     *
     * @throws JournalInUseException if another server has it
     * @throws IOException if the file cannot be opened
     */
    static Journal open(Path file, boolean sync) throws IOException {
        Path guard = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel channel = FileChannel.open(guard, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isOurs = false;
        try {
            isOurs = channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            throw new JournalInUseException("Another Firestore server in this process uses " + file);
        } finally {
            if (!isOurs) {
                channel.close();
            }
        }
        if (!isOurs) {
            throw new JournalInUseException("Another Firestore server uses " + file);
        }
        return new Journal(file, sync, channel);
    }

    /** Reads the file into the documents, rewrites it, and returns the time of the last commit. */
    long load(Documents documents) throws IOException {
        try {
            lastMicros = Files.exists(file) ? read(documents) : 0;
            compact(documents);
            return lastMicros;
        } catch (IOException | RuntimeException e) {
            guard.close();
            throw e;
        }
    }

    /**
     * Adds one commit. Once this has failed, no later commit is accepted: the file's end is unknown.
     *
     * @param documents as they are before this commit
     */
    void append(Documents documents, Collection<Version> changes, long micros) throws IOException {
        if (broken != null) {
            throw new IOException("An earlier commit could not be written", broken);
        }
        try {
            if (channel().position() > Math.max(SMALL, 3 * compactedSize)) {
                compact(documents);
            }
            FileChannel channel = channel();
            write(channel, frame(changes, micros));
            if (sync) {
                channel.force(false);
            }
            lastMicros = micros;
        } catch (IOException e) {
            broken = e;
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
        guard.close();
    }

    private FileChannel channel() throws IOException {
        if (out == null) {
            throw new IOException("The journal was not loaded");
        }
        return out;
    }

    private long read(Documents documents) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < MAGIC.length
                || !ByteBuffer.wrap(bytes, 0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))) {
            throw new IOException(file + " is not a journal of " + FirestoreServer.LABEL);
        }
        in.position(MAGIC.length);
        long last = 0;
        while (in.hasRemaining()) {
            int start = in.position();
            ByteBuffer body = body(in);
            if (body == null) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}: dropped a commit that was cut short at byte {1}",
                        file,
                        start);
                break;
            }
            last = body.getLong();
            documents.apply(versions(body, last));
        }
        return last;
    }

    /** Returns the next frame's body; null if no more frames follow, because the last one is cut short. */
    private @Nullable ByteBuffer body(ByteBuffer in) throws IOException {
        int start = in.position();
        ByteBuffer body = bodyAt(in, start);
        if (body != null) {
            in.position(start + HEADER + body.remaining());
            return body;
        }
        // A power failure may leave the last frame with its length, but zeros or old bytes inside.
        for (int at = start + 1; at < in.limit(); at++) {
            if (bodyAt(in, at) != null) {
                throw damaged(start);
            }
        }
        return null;
    }

    /** Returns the body of the frame that begins here; null if none does. */
    private static @Nullable ByteBuffer bodyAt(ByteBuffer in, int start) {
        if (in.limit() - start < HEADER || in.getInt(start + 8) != sum(in.slice(start, 8))) {
            return null;
        }
        int length = in.getInt(start);
        if (length < 0 || in.limit() - start - HEADER < length) {
            return null;
        }
        ByteBuffer body = in.slice(start + HEADER, length);
        return sum(body.duplicate()) == in.getInt(start + 4) ? body : null;
    }

    private IOException damaged(int at) {
        return new IOException(
                file + " is damaged at byte " + at + ". Restore it from a copy, or delete it to start empty.");
    }

    private static List<Version> versions(ByteBuffer body, long micros) throws IOException {
        int count = body.getInt();
        byte[] rest = new byte[body.remaining()];
        body.get(rest);
        ByteArrayInputStream in = new ByteArrayInputStream(rest);
        List<Version> versions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            BatchGetDocumentsResponse entry = BatchGetDocumentsResponse.parseDelimitedFrom(in);
            Document found = entry.getFound();
            versions.add(
                    entry.hasFound()
                            ? new Version(
                                    found.getName(),
                                    Map.copyOf(found.getFieldsMap()),
                                    Micros.of(found.getCreateTime()),
                                    Micros.of(found.getUpdateTime()))
                            : Version.missing(entry.getMissing(), micros));
        }
        return versions;
    }

    /** Writes one frame for each document that exists, and one for the time, into a new file in the place of the old. */
    private void compact(Documents documents) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        if (out != null) {
            out.close(); // Its file is about to be replaced.
        }
        out = FileChannel.open(
                fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        write(out, MAGIC);
        for (Version version : documents.all().toList()) {
            write(out, frame(List.of(version), version.updated()));
        }
        write(out, frame(List.of(), lastMicros));
        out.force(true);
        compactedSize = out.position();
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        if (sync) {
            syncFolder();
        }
    }

    /** Makes the move last: otherwise a power failure could bring the old file back, without later commits. */
    private void syncFolder() throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && !System.getProperty("os.name").startsWith("Windows")) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static byte[] frame(Collection<Version> versions, long micros) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(
                ByteBuffer.allocate(12).putLong(micros).putInt(versions.size()).array());
        for (Version version : versions) {
            BatchGetDocumentsResponse.Builder entry =
                    BatchGetDocumentsResponse.newBuilder().setReadTime(Micros.toProto(micros));
            if (version.exists()) {
                entry.setFound(version.toDocument());
            } else {
                entry.setMissing(version.name());
            }
            entry.build().writeDelimitedTo(body);
        }
        byte[] bytes = body.toByteArray();
        ByteBuffer frame =
                ByteBuffer.allocate(HEADER + bytes.length).putInt(bytes.length).putInt(sum(ByteBuffer.wrap(bytes)));
        frame.putInt(sum(frame.slice(0, 8))).put(bytes);
        return frame.array();
    }

    private static void write(FileChannel channel, byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static int sum(ByteBuffer bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        return (int) sum.getValue();
    }
}
