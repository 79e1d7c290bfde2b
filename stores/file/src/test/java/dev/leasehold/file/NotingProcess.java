package dev.leasehold.file;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.Key;
import java.nio.file.Path;
import java.util.List;

/** Appends to a history as fast as it can, two notes at a time, once it is told to go. */
final class NotingProcess {
    private NotingProcess() {}

    /** Takes the directory of the store, the name of the writer, and how often. */
    public static void main(String[] args) throws Exception {
        try (FileLeaseStore store = FileLeaseStore.of(Path.of(args[0]))) {
            History history = store.history().orElseThrow();
            System.out.println("ready");
            System.in.read();
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                history.append(List.of(note(args[1], i + "a"), note(args[1], i + "b")));
            }
        }
    }

    private static HistoryNote note(String writer, String reason) {
        return HistoryNote.of(Key.of("report"), HistoryKind.SKIPPED)
                .withReason(reason)
                .withActor(writer);
    }
}
