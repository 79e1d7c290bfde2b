package dev.leasehold.tck.history;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * At no moment do two clients think themselves the holder of one key (S1). A client does so from the moment it was told
 * until it begins to release, is told of the loss, dies, or its own deadline passes, whichever is first.
 */
public final class OverlapChecker {
    private OverlapChecker() {}

    public static List<Violation> check(History history) {
        List<Violation> violations = new ArrayList<>();
        history.byKey().values().forEach(events -> checkKey(events, violations));
        return violations;
    }

    private static void checkKey(List<HistoryEvent> events, List<Violation> violations) {
        Map<String, HistoryEvent> holders = new HashMap<>();
        for (HistoryEvent event : events) {
            Kind kind = event.kind();
            if (kind == Kind.ACQUIRED) {
                checkAlone(event, holders.values(), violations);
                holders.put(event.nonce(), event);
            } else if (kind == Kind.RENEWED) {
                HistoryEvent known = holders.get(event.nonce());
                boolean isValid = event.until() > event.time();
                if (known != null && isValid && known.until() < event.until()) {
                    // One that slept may come back to what has become somebody else's.
                    checkAlone(event, holders.values(), violations);
                    holders.put(event.nonce(), event);
                }
            } else if (kind == Kind.RELEASING || kind == Kind.LOST || kind == Kind.RELEASED) {
                holders.remove(event.nonce());
            } else if (kind == Kind.CRASHED) {
                holders.values().removeIf(holder -> holder.client().equals(event.client()));
            }
        }
    }

    private static void checkAlone(HistoryEvent event, Collection<HistoryEvent> holders, List<Violation> violations) {
        for (HistoryEvent other : holders) {
            if (other.until() > event.time() && !other.nonce().equals(event.nonce())) {
                violations.add(new Violation(
                        "S1",
                        event.client() + " holds " + event.key() + " with fence " + event.fence() + " at "
                                + event.time() + ", but " + other.client() + " with fence " + other.fence()
                                + " until " + other.until()));
            }
        }
    }
}
