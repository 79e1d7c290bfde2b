package dev.leasehold.docs;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The requirements and what is known of their proofs.
 *
 * @param ids every id of docs/requirements.md, in its order
 * @param toCome what is missing, for each id that is not proven yet
 * @param tests every tag of every test
 */
record Requirements(Collection<String> ids, Map<String, String> toCome, List<TaggedTest> tests) {
    private static final String PART = "part-of:";

    /** Tags that say something else about a test. */
    private static final Set<String> OTHER_TAGS = Set.of("slow");

    /** Tests that together prove the whole line. */
    List<TaggedTest> proofs(String id) {
        return tagged(id);
    }

    /** Tests that prove a part of the line, which their names tell. */
    List<TaggedTest> parts(String id) {
        return tagged(PART + id);
    }

    private List<TaggedTest> tagged(String tag) {
        return tests.stream().filter(test -> test.tag().equals(tag)).toList();
    }

    boolean isProven(String id) {
        return !proofs(id).isEmpty();
    }

    /** What must be put right before the table can be true. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (String id : ids) {
            if (!isProven(id) && !toCome.containsKey(id)) {
                problems.add(id + " is neither proven nor in to-come.tsv");
            }
            if (isProven(id) && toCome.containsKey(id)) {
                problems.add(id + " is proven by "
                        + TaggedTest.shortName(proofs(id).get(0).file()) + " and still in to-come.tsv");
            }
        }
        toCome.forEach((id, missing) -> {
            if (!ids.contains(id)) {
                problems.add(id + " in to-come.tsv is not in requirements.md");
            }
            if (missing.isBlank()) {
                problems.add(id + " in to-come.tsv does not say what is missing");
            }
        });
        for (TaggedTest test : tests) {
            String id = test.tag().startsWith(PART) ? test.tag().substring(PART.length()) : test.tag();
            if (!ids.contains(id) && !OTHER_TAGS.contains(test.tag())) {
                problems.add(test.file() + ": " + test.name() + " has the tag " + test.tag()
                        + ", which is not in requirements.md");
            }
        }
        return problems;
    }
}
