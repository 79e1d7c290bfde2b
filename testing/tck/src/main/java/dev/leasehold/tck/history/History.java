package dev.leasehold.tck.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What happened, in order of time. Not safe for use by several threads. */
public final class History {
    private final List<HistoryEvent> events = new ArrayList<>();

    public void add(HistoryEvent event) {
        events.add(event);
    }

    public List<HistoryEvent> events() {
        return events;
    }

    /** The events of each key, for checkers that look at one key at a time. */
    Map<String, List<HistoryEvent>> byKey() {
        Map<String, List<HistoryEvent>> keys = new TreeMap<>();
        for (HistoryEvent event : events) {
            keys.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
        }
        return keys;
    }

    /** One history out of several, of processes that share a clock. */
    public static History merged(List<History> parts) {
        History merged = new History();
        parts.forEach(part -> merged.events.addAll(part.events));
        merged.events.sort(Comparator.comparingLong(HistoryEvent::time));
        return merged;
    }

    public void writeTo(Path file) throws IOException {
        Files.write(file, events.stream().map(HistoryEvent::toJson).toList());
    }

    public static History readFrom(Path file) throws IOException {
        History history = new History();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank()) {
                history.add(HistoryEvent.fromJson(line));
            }
        }
        return history;
    }
}
