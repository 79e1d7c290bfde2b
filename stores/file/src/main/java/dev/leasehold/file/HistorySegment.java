package dev.leasehold.file;

import dev.leasehold.store.HistoryEntry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One file of the history, which begins with a line that says when it was begun. An entry's number is the place where
 * its line ends, counted through all files; so the next entry is found without reading those before it.
 *
 * @param base where this file begins
 */
record HistorySegment(Path file, long base) implements Comparable<HistorySegment> {
    private static final Pattern NAME = Pattern.compile("\\d{16}");
    private static final Pattern HEAD = Pattern.compile("leasehold history 1 (\\d{1,18})\n");
    private static final int LONGEST_HEAD = 64;

    static HistorySegment at(Path directory, long base) {
        return new HistorySegment(directory.resolve(String.format(Locale.ROOT, "%016d", base)), base);
    }

    /** All files of the history that there are, oldest first. */
    static List<HistorySegment> in(Path directory, Disk disk) throws IOException {
        List<HistorySegment> found = new ArrayList<>();
        for (String name : disk.list(directory, "")) {
            if (NAME.matcher(name).matches()) {
                found.add(at(directory, Long.parseLong(name)));
            }
        }
        found.sort(null);
        return found;
    }

    static byte[] head(long startMicros) {
        return ("leasehold history 1 " + startMicros + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** When it was begun; the beginning of time if its head is damaged. */
    long startMicros(Disk disk) throws IOException {
        byte[] bytes = disk.read(file, 0, LONGEST_HEAD);
        Matcher head = HEAD.matcher(new String(bytes, StandardCharsets.UTF_8));
        return head.lookingAt() ? Long.parseLong(head.group(1)) : 0;
    }

    /** The entries whose numbers are larger. A line that is not ended yet is left for later. */
    List<HistoryEntry> entriesAfter(long number, Disk disk) throws IOException {
        long from = Math.max(0, number - base);
        byte[] bytes = disk.read(file, from, Integer.MAX_VALUE);
        List<HistoryEntry> entries = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                String line = new String(bytes, start, i - start, StandardCharsets.UTF_8);
                Optional<HistoryEntry> entry = HistoryLine.parse(line, base + from + i + 1);
                entry.ifPresent(entries::add);
                start = i + 1;
            }
        }
        return entries;
    }

    @Override
    public int compareTo(HistorySegment other) {
        return Long.compare(base, other.base);
    }
}
