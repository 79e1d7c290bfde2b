package dev.leasehold.cli;

import dev.leasehold.store.HistoryNote;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import java.util.List;

/** Writes into the store's history what a command did without the library's client, which does so by itself. */
final class Notes {
    private Notes() {}

    /** What was done stands, whether or not it can be noted. */
    static void append(LeaseStore store, HistoryNote note, Output output) {
        try {
            store.history().ifPresent(history -> history.append(List.of(note)));
        } catch (StoreException e) {
            output.say(Messages.text("history.not-written", e.getMessage()));
        }
    }
}
