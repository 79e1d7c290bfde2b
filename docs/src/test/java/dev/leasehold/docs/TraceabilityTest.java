package dev.leasehold.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keeps docs/traceability.md equal to what the names of the tests say. */
@DisplayName("The traceability table")
class TraceabilityTest {
    private static final Path TABLE = Documents.ROOT.resolve("docs/traceability.md");
    private static final Path DRAFT = Path.of("target", "traceability.md");
    private static final Pattern NAME =
            Pattern.compile("(?:@DisplayName\\(|@ParameterizedTest\\(name =)\\s*\"([^\"]+)\"");
    private static final Pattern ID = Pattern.compile("(?:SPEC-)?[A-Z]\\d{1,2}");

    @Test
    @DisplayName("says which test proves what, as the tests' names do")
    void isTrue() throws IOException {
        Map<String, Set<Path>> proofs = proofs();
        String table = """
                # Traceability

                What each requirement and each contract case says in short, and the tests that name it. Written by
                `TraceabilityTest` from the names of the tests; when those change, copy `docs/target/traceability.md` here.
                Requirements whose id another case has too carry `SPEC-` in front.

                ## Requirements

                %s
                ## Contract cases

                %s""".formatted(rows("requirements.tsv", proofs), rows("cases.tsv", proofs));
        Files.createDirectories(DRAFT.getParent());
        Files.writeString(DRAFT, table);
        assertThat(Documents.read(TABLE))
                .as("docs/traceability.md is out of date; copy docs/target/traceability.md over it")
                .isEqualTo(table);
    }

    @Test
    @DisplayName("lists every id that the name of a test begins with")
    void isComplete() throws IOException {
        Map<String, Set<Path>> unlisted = proofs();
        for (String resource : List.of("requirements.tsv", "cases.tsv")) {
            lines(resource).forEach(line -> unlisted.remove(line.split("\t", -1)[0]));
        }
        assertThat(unlisted)
                .as("ids without a line in requirements.tsv or cases.tsv")
                .isEmpty();
    }

    private static Map<String, Set<Path>> proofs() throws IOException {
        Map<String, Set<Path>> proofs = new TreeMap<>();
        try (Stream<Path> files = Files.walk(Documents.ROOT)) {
            for (Path file : files.filter(TraceabilityTest::isSource).toList()) {
                Matcher names = NAME.matcher(Documents.read(file));
                while (names.find()) {
                    for (String word : names.group(1).split("[ ,:/]+", -1)) {
                        if (!ID.matcher(word).matches()) {
                            break;
                        }
                        proofs.computeIfAbsent(word, id -> new TreeSet<>()).add(Documents.ROOT.relativize(file));
                    }
                }
            }
        }
        return proofs;
    }

    private static boolean isSource(Path file) {
        String path = Documents.ROOT.relativize(file).toString();
        return path.endsWith(".java") && path.contains("/src/") && !path.contains("target/");
    }

    private static String rows(String resource, Map<String, Set<Path>> proofs) throws IOException {
        StringBuilder rows = new StringBuilder("| id | what | proven by |\n|---|---|---|\n");
        for (String line : lines(resource)) {
            String[] cells = line.split("\t", -1);
            String tests = proofs.getOrDefault(cells[0], Set.of()).stream()
                    .map(TraceabilityTest::link)
                    .collect(Collectors.joining(", "));
            rows.append("| %s | %s | %s |%n".formatted(cells[0], cells[1], tests.isEmpty() ? "to come" : tests));
        }
        return rows.toString();
    }

    private static List<String> lines(String resource) throws IOException {
        try (InputStream text = Objects.requireNonNull(TraceabilityTest.class.getResourceAsStream(resource))) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    private static String link(Path file) {
        String name = Objects.requireNonNull(file.getFileName()).toString();
        return "[%s](../%s)".formatted(name.substring(0, name.length() - ".java".length()), file);
    }
}
