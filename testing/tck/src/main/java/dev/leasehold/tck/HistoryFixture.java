package dev.leasehold.tck;

import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.HistoryKind;
import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.HistoryRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import java.util.List;

/** What the cases of the history share. */
abstract class HistoryFixture extends StoreFixture {
    static History history(LeaseStore store) {
        return store.history().orElseThrow(() -> new AssertionError("The store keeps no history."));
    }

    final void append(HistoryNote... notes) {
        history(store).append(List.of(notes));
    }

    final void appendEach(Key key, int count) {
        for (int i = 0; i < count; i++) {
            append(note(key, "" + i));
        }
    }

    final List<HistoryEntry> read(HistoryRequest request) {
        return history(store).read(request);
    }

    static HistoryNote note(Key key, String reason) {
        return HistoryNote.of(key, HistoryKind.SKIPPED).withReason(reason);
    }

    static List<String> reasons(List<HistoryEntry> entries) {
        return entries.stream().map(HistoryEntry::reason).toList();
    }

    /** The store's clock, as a record shows it. */
    final long storeMicros() {
        Key probe = key();
        take(probe);
        return find(probe).nowMicros();
    }

    /** How far two looks at the store's clock may be apart. */
    final long slackMicros() {
        long tick = Micros.of(traits().tick());
        return traits().time() == StoreTraits.Time.MANUAL ? tick : tick + 1_000_000;
    }
}
