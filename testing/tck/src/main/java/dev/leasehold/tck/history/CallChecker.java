package dev.leasehold.tck.history;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A call asks with one nonce from its beginning to its end (S6): whoever asks under another name after a lost reply may
 * have been granted the key under the first, and is then in its own way. For clients that make one call after another.
 */
public final class CallChecker {
    private CallChecker() {}

    public static List<Violation> check(History history) {
        List<Violation> violations = new ArrayList<>();
        history.byKey().values().forEach(events -> checkKey(events, violations));
        return violations;
    }

    private static void checkKey(List<HistoryEvent> events, List<Violation> violations) {
        Map<String, String> open = new HashMap<>();
        for (HistoryEvent event : events) {
            if (event.kind() == Kind.CALLED) {
                String before = open.put(event.client(), event.nonce());
                if (before != null) {
                    violations.add(new Violation(
                            "S6",
                            event.client() + " asks for " + event.key() + " as " + event.nonce()
                                    + " although its call as " + before + " has not ended"));
                }
            } else if (isEnd(event.kind())) {
                open.remove(event.client());
            }
        }
    }

    private static boolean isEnd(Kind kind) {
        return kind == Kind.ACQUIRED || kind == Kind.REFUSED || kind == Kind.UNKNOWN;
    }
}
