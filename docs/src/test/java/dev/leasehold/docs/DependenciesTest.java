package dev.leasehold.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

/** Keeps the BOM and the version ranges of docs/dependencies.md equal to what the poms say. */
@DisplayName("Dependencies")
class DependenciesTest {
    /** Library, artifact, property, oldest and newest version. */
    private static final Pattern RANGE =
            Pattern.compile("(?m)^\\| [^|]+ \\| `[^:`|]+:([^`|]+)` \\| `([^`|]+)` \\| (\\d[^ |]*) to (\\d[^ |]*) \\|");

    private record Range(String property, String oldest, String newest) {}

    private final Pom root = Pom.in("");
    private final Map<String, Range> ranges = ranges();

    @Test
    @DisplayName("in the BOM are the published modules, each with the BOM's version")
    void bom() {
        List<Element> managed = Pom.in("bom")
                .elements("dependencyManagement", "dependencies", "dependency")
                .toList();
        assertThat(managed)
                .extracting(entry -> Pom.text(entry, "artifactId"))
                .containsExactlyInAnyOrderElementsOf(
                        Pom.published().stream().map(Pom::artifactId).toList());
        assertThat(managed)
                .extracting(entry -> Pom.text(entry, "groupId") + ":" + Pom.text(entry, "version"))
                .containsOnly("dev.leasehold:${project.version}");
        assertThat(Pom.in("bom").texts("version").toList())
                .isEqualTo(root.texts("version").toList());
    }

    @Test
    @DisplayName("that users bring have a range of versions, which the build's version is in")
    void versionsAreInTheirRanges() {
        assertThat(ranges).isNotEmpty();
        ranges.forEach((artifact, range) -> {
            String used = root.texts("properties", range.property()).findFirst().orElse("none");
            assertThat(compare(range.oldest(), used))
                    .as("%s: %s is not older than %s", artifact, used, range.oldest())
                    .isNotPositive();
            assertThat(compare(used, range.newest()))
                    .as("%s: %s is not newer than %s", artifact, used, range.newest())
                    .isNotPositive();
        });
    }

    @Test
    @DisplayName("that a library of ours has at run time, or supports if it is there, all have a range")
    void rangesAreComplete() {
        TreeSet<String> brought = new TreeSet<>(List.of("mariadb-java-client", "sqlite-jdbc", "h2"));
        Pom.published().stream()
                .filter(module -> !module.folder().equals("cli")) // A program with libraries of its own.
                .flatMap(module -> module.elements("dependencies", "dependency"))
                .filter(dependency -> !Pom.text(dependency, "groupId").equals("dev.leasehold"))
                .filter(dependency -> !Pom.text(dependency, "scope").equals("test"))
                .forEach(dependency -> brought.add(Pom.text(dependency, "artifactId")));
        assertThat(ranges.keySet()).containsExactlyInAnyOrderElementsOf(brought);
    }

    @Test
    @DisplayName("Versions are compared by number, part by part")
    void comparison() {
        assertThat(compare("3.9", "3.10")).isNegative();
        assertThat(compare("42.7.14", "42.7.4")).isPositive();
        assertThat(compare("8.0.2", "8.0.2")).isZero();
    }

    private static Map<String, Range> ranges() {
        Map<String, Range> ranges = new LinkedHashMap<>();
        Matcher rows = RANGE.matcher(Documents.read(Documents.ROOT.resolve("docs/dependencies.md")));
        while (rows.find()) {
            for (String artifact : rows.group(1).split(", ", -1)) {
                ranges.put(artifact, new Range(rows.group(2), rows.group(3), rows.group(4)));
            }
        }
        return ranges;
    }

    private static int compare(String one, String other) {
        return Arrays.compare(numbers(one), numbers(other));
    }

    private static int[] numbers(String version) {
        return Stream.of(version.split("\\.", -1)).mapToInt(Integer::parseInt).toArray();
    }
}
