package dev.leasehold.tck.history;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fences only grow (S2), and a fenced resource never goes back (S3). Fences give the order of grants, so no search is
 * needed and any length of history will do.
 */
public final class FenceChecker {
    private FenceChecker() {}

    public static List<Violation> check(History history) {
        List<Violation> violations = new ArrayList<>();
        history.byKey().values().forEach(events -> checkKey(events, violations));
        return violations;
    }

    private static void checkKey(List<HistoryEvent> events, List<Violation> violations) {
        Map<Long, String> nonces = new HashMap<>();
        Map<String, Long> largestWhenCalled = new HashMap<>();
        long largest = 0;
        long effect = 0;
        for (HistoryEvent event : events) {
            if (event.kind() == Kind.CALLED) {
                largestWhenCalled.put(event.nonce(), largest);
            } else if (event.kind() == Kind.ACQUIRED) {
                String other = nonces.putIfAbsent(event.fence(), event.nonce());
                if (other != null) {
                    violations.add(new Violation(
                            "S2", "fence " + event.fence() + " was given to " + other + " and to " + event.nonce()));
                }
                long before = largestWhenCalled.getOrDefault(event.nonce(), 0L);
                if (event.fence() <= before) {
                    violations.add(new Violation(
                            "S2",
                            event.client() + " got fence " + event.fence() + " although " + before
                                    + " had been given before it asked"));
                }
                largest = Math.max(largest, event.fence());
            } else if (event.kind() == Kind.EFFECT) {
                if (event.fence() < effect) {
                    violations.add(new Violation(
                            "S3",
                            event.client() + " wrote with fence " + event.fence() + " after a write with " + effect));
                }
                effect = Math.max(effect, event.fence());
            }
        }
    }
}
