package dev.leasehold.tck.history;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Every loss has a reason: the deadline had passed, or somebody else was granted the key. Not for histories in which
 * records vanish.
 */
public final class LossChecker {
    private LossChecker() {}

    public static List<Violation> check(History history) {
        List<Violation> violations = new ArrayList<>();
        history.byKey().values().forEach(events -> checkKey(events, violations));
        return violations;
    }

    private static void checkKey(List<HistoryEvent> events, List<Violation> violations) {
        long largest = events.stream()
                .filter(event -> event.kind() == Kind.ACQUIRED)
                .mapToLong(HistoryEvent::fence)
                .max()
                .orElse(0);
        Map<String, Long> deadlines = new HashMap<>();
        for (HistoryEvent event : events) {
            if (event.kind() == Kind.ACQUIRED || event.kind() == Kind.RENEWED) {
                deadlines.merge(event.nonce(), event.until(), Math::max);
            } else if (event.kind() == Kind.LOST) {
                long deadline = deadlines.getOrDefault(event.nonce(), 0L);
                // The last grant of all cannot have gone to somebody else.
                if (event.time() < deadline && event.fence() >= largest) {
                    violations.add(new Violation(
                            "justified loss",
                            event.client() + " lost " + event.key() + " with fence " + event.fence() + " at "
                                    + event.time() + ", although it was valid until " + deadline
                                    + " and nobody was granted it later"));
                }
            }
        }
    }
}
