package dev.leasehold.tck.history;

import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** A run has one answer, and everybody is given that one (S7, S8). Answers are told apart by the fence of their run. */
public final class AnswerChecker {
    private AnswerChecker() {}

    public static List<Violation> check(History history) {
        List<Violation> violations = new ArrayList<>();
        history.byKey().forEach((key, events) -> {
            SortedSet<Long> answers = new TreeSet<>();
            for (HistoryEvent event : events) {
                if (event.kind() == Kind.ANSWERED) {
                    answers.add(event.fence());
                }
            }
            if (answers.size() > 1) {
                violations.add(new Violation("S7", key + " was answered by more than one run: fences " + answers));
            }
        });
        return violations;
    }
}
