package dev.leasehold.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rules on made-up requirements, so that a rule that is never broken here is known to work. */
@DisplayName("The rules of traceability")
class RequirementsTest {
    private static final Path FILE = Path.of("core/src/test/java/SomeTest.java");

    private static Requirements with(Map<String, String> toCome, String... tags) {
        List<TaggedTest> tests =
                Stream.of(tags).map(tag -> new TaggedTest(FILE, "some", tag)).toList();
        return new Requirements(List.of("LOCK-1", "LOCK-2"), toCome, tests);
    }

    @Test
    @DisplayName("are kept by an id that is proven and one that is to come, with a part or not")
    void kept() {
        assertThat(with(Map.of("LOCK-2", "a browser"), "LOCK-1", "slow").problems())
                .isEmpty();
        assertThat(with(Map.of("LOCK-2", "a browser"), "LOCK-1", "part-of:LOCK-1", "part-of:LOCK-2")
                        .problems())
                .isEmpty();
    }

    @Test
    @DisplayName("refuse an id that is neither proven nor to come; a part is no proof")
    void forgotten() {
        assertThat(with(Map.of(), "LOCK-1", "part-of:LOCK-2").problems())
                .containsExactly("LOCK-2 is neither proven nor in to-come.tsv");
    }

    @Test
    @DisplayName("refuse an id that is proven and to come")
    void both() {
        assertThat(with(Map.of("LOCK-2", "a browser"), "LOCK-1", "LOCK-2").problems())
                .containsExactly("LOCK-2 is proven by SomeTest and still in to-come.tsv");
    }

    @Test
    @DisplayName("refuse an id to come that is no requirement, or does not say what is missing")
    void badList() {
        assertThat(with(Map.of("LOCK-3", "x"), "LOCK-1", "LOCK-2").problems())
                .containsExactly("LOCK-3 in to-come.tsv is not in requirements.md");
        assertThat(with(Map.of("LOCK-2", " "), "LOCK-1").problems())
                .containsExactly("LOCK-2 in to-come.tsv does not say what is missing");
    }

    @Test
    @DisplayName("refuse a tag that is no requirement, as a whole or as a part, and any misspelt one")
    void unknownTag() {
        for (String tag : List.of("LOCK-3", "part-of:LOCK-3", "LOCK1", "partof:LOCK-1")) {
            assertThat(with(Map.of(), "LOCK-1", "LOCK-2", tag).problems())
                    .containsExactly(FILE + ": some has the tag " + tag + ", which is not in requirements.md");
        }
    }

    @Test
    @DisplayName("read the tags of Java's methods and classes")
    void java() {
        String text = """
                @#("slow")
                @DisplayName("A class of tests")
                final class SomeTest {
                    @Test
                    @#("LOCK-1")
                    @#("part-of:LOCK-2")
                    @DisplayName("void of class and sense")
                    final void first() throws Exception {}
                }
                """.replace("#", "Tag");
        assertThat(TaggedTest.in(FILE, text))
                .containsExactly(
                        new TaggedTest(FILE, "SomeTest", "slow"),
                        new TaggedTest(FILE, "first", "LOCK-1"),
                        new TaggedTest(FILE, "first", "part-of:LOCK-2"));
    }

    @Test
    @DisplayName("do not take a tag for a proof where JUnit runs nothing")
    void tagsOfWhatIsNoTest() {
        String text = """
                @#("LOCK-1")
                final class Helper {
                    @#("LOCK-2")
                    void helps() {}
                }
                """.replace("#", "Tag");
        assertThat(TaggedTest.in(FILE, text)).isEmpty();
        String mixed = """
                class SomeTest {
                    @Test
                    void first() {}

                    @#("LOCK-1")
                    void helps() {}

                    @#("LOCK-2")
                    @ParameterizedTest(name = "{0}")
                    void second(int number) {}
                }
                """.replace("#", "Tag");
        assertThat(TaggedTest.in(FILE, mixed)).containsExactly(new TaggedTest(FILE, "second", "LOCK-2"));
    }

    @Test
    @DisplayName("read the ids before the titles of JavaScript's tests")
    void javaScript() {
        Path file = Path.of("browser/test/lock.test.ts");
        String text = """
                test('LOCK-1 part-of:LOCK-2 two tabs take turns', async () => {});
                it("helps", () => {});
                """;
        assertThat(TaggedTest.in(file, text))
                .containsExactly(
                        new TaggedTest(file, "two tabs take turns", "LOCK-1"),
                        new TaggedTest(file, "two tabs take turns", "part-of:LOCK-2"));
    }
}
