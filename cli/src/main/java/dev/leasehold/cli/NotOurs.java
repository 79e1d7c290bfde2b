package dev.leasehold.cli;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Tells somebody that a lease is not the one that was meant, and how its key stands instead. */
final class NotOurs {
    private NotOurs() {}

    static int tell(LeaseStore store, Key key, Output output) {
        return tell(key, store.find(key), output);
    }

    static int tell(Key key, Optional<LeaseSnapshot> found, Output output) {
        Optional<LeaseView> view = found.map(LeaseView::new);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("key", key.value());
        fields.put("state", "absent");
        view.ifPresent(present -> fields.putAll(present.fields()));
        String standing = view.map(LeaseView::line).orElseGet(() -> Messages.text("show.absent", key));
        output.deny(Messages.text("token.not-held", standing), fields);
        return ExitCode.BUSY;
    }
}
