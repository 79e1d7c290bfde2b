package dev.leasehold.file;

import dev.leasehold.store.Fence;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import dev.leasehold.store.Owner;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the history as a line: a checksum and the fields, with tabs between them, which no field can have. A line
 * that was cut short, or ran into another, is no entry.
 */
final class HistoryLine {
    private static final int FIELDS = 8;

    private HistoryLine() {}

    static String of(HistoryNote note, long nowMicros) {
        HistoryEntry entry = note.entry(0, nowMicros);
        String fields = String.join(
                "\t",
                Long.toString(entry.atMicros()),
                entry.kind().name(),
                Long.toString(fence(entry.fence())),
                entry.key().value(),
                label(entry.owner()),
                entry.reason(),
                entry.actor());
        return checksum(fields) + "\t" + fields + "\n";
    }

    private static long fence(@Nullable Fence fence) {
        return fence == null ? 0 : fence.value();
    }

    private static String label(@Nullable Owner owner) {
        return owner == null ? "" : owner.label();
    }

    /** The entry in this line, which has no line feed; empty if it is none. Fields of a later version are passed over. */
    static Optional<HistoryEntry> parse(String line, long number) {
        String[] fields = line.split("\t", -1);
        if (fields.length < FIELDS || !fields[0].equals(checksum(line.substring(fields[0].length() + 1)))) {
            return Optional.empty();
        }
        try {
            return Optional.of(entry(number, fields));
        } catch (IllegalArgumentException e) {
            // Whole, but of a version that means something else by it.
            return Optional.empty();
        }
    }

    private static HistoryEntry entry(long number, String[] fields) {
        long fence = Long.parseLong(fields[3]);
        return new HistoryEntry(
                number,
                Long.parseLong(fields[1]),
                Key.of(fields[4]),
                new HistoryKind(fields[2]),
                fields[5].isEmpty() ? null : Owner.of(fields[5]),
                fence == 0 ? null : Fence.of(fence),
                fields[6],
                fields[7]);
    }

    private static String checksum(String fields) {
        byte[] bytes = fields.getBytes(StandardCharsets.UTF_8);
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, bytes.length);
        return Long.toHexString(sum.getValue());
    }
}
