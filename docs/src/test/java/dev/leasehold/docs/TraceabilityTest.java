package dev.leasehold.docs;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keeps docs/traceability.md equal to what the tags and names of the tests say. */
@DisplayName("The traceability table")
class TraceabilityTest {
    private static final Path TABLE = Documents.ROOT.resolve("docs/traceability.md");
    private static final Path DRAFT = Path.of("target", "traceability.md");
    private static final Pattern REQUIREMENT = Pattern.compile("(?m)^\\| ([A-Z]+)-(\\d+) \\| .+ \\|$");
    private static final Pattern NAME =
            Pattern.compile("(?:@DisplayName\\(|@ParameterizedTest\\(name =)\\s*\"([^\"]+)\"");
    private static final Pattern CASE = Pattern.compile("[A-Z]\\d{1,2}");

    private final Set<String> ids = ids();
    private final Requirements requirements = new Requirements(ids, pairs("to-come.tsv"), TaggedTest.all());

    @Test
    @DisplayName("says which test proves what, as the tests' tags and names do")
    void isTrue() throws IOException {
        String table = """
                # Traceability

                Written by `TraceabilityTest` from the tags and names of the tests; when those change, copy
                `docs/target/traceability.md` here. The lines themselves are in [requirements.md](requirements.md).

                ## Requirements that are proven

                Each by the tests of the second column together. Those of the third prove a part of the line.

                | id | proven by | a part by |
                |---|---|---|
                %s
                ## Requirements to come

                | id | what is missing | a part by |
                |---|---|---|
                %s
                ## Contract cases

                What each case says in short, and the tests that name it.

                | id | what | proven by |
                |---|---|---|
                %s""".formatted(
                        rows(requirements::isProven, id -> links(requirements.proofs(id))),
                        rows(
                                id -> !requirements.isProven(id),
                                id -> requirements.toCome().get(id)),
                        caseRows());
        Files.createDirectories(DRAFT.getParent());
        Files.writeString(DRAFT, table);
        assertThat(Documents.read(TABLE))
                .as("docs/traceability.md is out of date; copy docs/target/traceability.md over it")
                .isEqualTo(table);
    }

    @Test
    @DisplayName("forgets no requirement: each is proven, or listed with what is missing")
    void isComplete() {
        assertThat(requirements.problems()).isEmpty();
    }

    @Test
    @DisplayName("has the requirements of each section numbered without a gap")
    void isNumbered() {
        Map<String, Integer> last = new TreeMap<>();
        for (String id : ids) {
            String section = id.substring(0, id.indexOf('-'));
            assertThat(id).isEqualTo(section + "-" + last.merge(section, 1, Integer::sum));
        }
        assertThat(last.keySet()).containsExactly("ANALYSIS", "CRON", "FINALIZE", "LOCK", "SYNC");
    }

    @Test
    @DisplayName("lists every contract case that the name of a test begins with")
    void hasEveryCase() {
        Map<String, Set<Path>> unlisted = cases();
        unlisted.keySet().removeAll(pairs("cases.tsv").keySet());
        assertThat(unlisted).as("ids without a line in cases.tsv").isEmpty();
    }

    private static Set<String> ids() {
        Set<String> ids = new LinkedHashSet<>();
        Matcher lines = REQUIREMENT.matcher(Documents.read(Documents.ROOT.resolve("docs/requirements.md")));
        while (lines.find()) {
            assertThat(ids.add(lines.group(1) + "-" + lines.group(2)))
                    .as(lines.group())
                    .isTrue();
        }
        return ids;
    }

    private interface Cell {
        String of(String id);
    }

    private String rows(Predicate<String> isListed, Cell second) {
        return ids.stream()
                .filter(isListed)
                .map(id -> "| %s | %s | %s |%n".formatted(id, second.of(id), links(requirements.parts(id))))
                .collect(joining());
    }

    private static String links(List<TaggedTest> tests) {
        Map<Path, List<TaggedTest>> byFile = tests.stream()
                .collect(Collectors.groupingBy(TaggedTest::file, LinkedHashMap::new, Collectors.toList()));
        return byFile.values().stream()
                .map(inFile -> link(inFile.get(0).file())
                        + inFile.stream().map(TaggedTest::name).distinct().collect(joining(", ", " (", ")")))
                .collect(joining(", "));
    }

    private static String link(Path file) {
        return "[%s](../%s)".formatted(TaggedTest.shortName(file), file);
    }

    private static String caseRows() {
        Map<String, Set<Path>> cases = cases();
        StringBuilder rows = new StringBuilder();
        pairs("cases.tsv").forEach((id, what) -> {
            String tests = cases.getOrDefault(id, Set.of()).stream()
                    .map(TraceabilityTest::link)
                    .collect(joining(", "));
            rows.append("| %s | %s | %s |%n".formatted(id, what, tests.isEmpty() ? "to come" : tests));
        });
        return rows.toString();
    }

    private static Map<String, Set<Path>> cases() {
        Map<String, Set<Path>> cases = new TreeMap<>();
        for (Path file : TaggedTest.sources().filter(TaggedTest::isJava).toList()) {
            Matcher names = NAME.matcher(Documents.read(Documents.ROOT.resolve(file)));
            while (names.find()) {
                for (String word : names.group(1).split("[ ,:/]+", -1)) {
                    if (!CASE.matcher(word).matches()) {
                        break;
                    }
                    cases.computeIfAbsent(word, id -> new TreeSet<>()).add(file);
                }
            }
        }
        return cases;
    }

    /** The two cells of each line of a file next to this class. */
    private static Map<String, String> pairs(String resource) {
        Map<String, String> pairs = new LinkedHashMap<>();
        try (InputStream text = Objects.requireNonNull(TraceabilityTest.class.getResourceAsStream(resource))) {
            new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(line -> {
                String[] cells = line.split("\t", -1);
                assertThat(cells).as(resource + ": " + line).hasSize(2);
                assertThat(pairs.put(cells[0], cells[1]))
                        .as("twice in %s: %s", resource, cells[0])
                        .isNull();
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return pairs;
    }
}
