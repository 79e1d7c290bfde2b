package dev.leasehold.cli;

import dev.leasehold.store.Fence;
import dev.leasehold.store.History;
import dev.leasehold.store.HistoryEntry;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Owner;
import dev.leasehold.store.StoreUnsupportedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Entries of the history as people and programs are shown them. */
final class Entries {
    private Entries() {}

    static History of(LeaseStore store) {
        return store.history()
                .orElseThrow(() -> new StoreUnsupportedException(Messages.text("history.none", store.name())));
    }

    static Map<String, Object> fields(HistoryEntry entry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("number", entry.number());
        fields.put("at", entry.at().toString());
        fields.put("key", entry.key().value());
        fields.put("kind", entry.kind().name());
        @Nullable Owner owner = entry.owner();
        if (owner != null) {
            fields.put("owner", owner.label());
        }
        @Nullable Fence fence = entry.fence();
        if (fence != null) {
            fields.put("fence", fence.value());
        }
        if (!entry.reason().isEmpty()) {
            fields.put("reason", entry.reason());
        }
        if (!entry.actor().isEmpty()) {
            fields.put("actor", entry.actor());
        }
        return fields;
    }

    /** @param hasKeys whether the entries are of several keys */
    static Table table(List<HistoryEntry> entries, boolean hasKeys, boolean isColoured) {
        Table table = new Table(isColoured);
        entries.forEach(entry -> table.row(row(entry, hasKeys)));
        return hasKeys
                ? table.heading("time", "key", "kind", "owner", "fence", "reason")
                : table.heading("time", "kind", "owner", "fence", "reason");
    }

    /** One line that stands alone. */
    static String line(HistoryEntry entry) {
        return String.join("  ", row(entry, true)).stripTrailing();
    }

    private static List<String> row(HistoryEntry entry, boolean hasKey) {
        @Nullable Owner owner = entry.owner();
        @Nullable Fence fence = entry.fence();
        List<String> row = new ArrayList<>();
        row.add(Times.moment(entry.at()));
        if (hasKey) {
            row.add(entry.key().value());
        }
        row.add(entry.kind().name());
        row.add(owner == null ? "-" : owner.label());
        row.add(fence == null ? "-" : fence.toString());
        row.add(entry.actor().isEmpty() ? entry.reason() : Messages.text("history.by", entry.reason(), entry.actor()));
        return row;
    }
}
