package dev.leasehold.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The documents")
class DocumentsTest {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)(#[^)]*)?\\)");

    /** What every snippet imports without saying so. */
    private static final String IMPORTS = Stream.of(
                    "dev.leasehold",
                    "dev.leasehold.file",
                    "dev.leasehold.firestore",
                    "dev.leasehold.jackson",
                    "dev.leasehold.jdbc",
                    "dev.leasehold.redis",
                    "dev.leasehold.lease",
                    "dev.leasehold.memory",
                    "dev.leasehold.once",
                    "dev.leasehold.once.http",
                    "dev.leasehold.spring.annotation",
                    "dev.leasehold.store",
                    "dev.leasehold.tck",
                    "java.nio.file",
                    "java.sql",
                    "java.time",
                    "java.util",
                    "javax.sql")
            .map("import %s.*;\n"::formatted)
            .collect(Collectors.joining());

    @TempDir
    private Path classes;

    static Stream<Documents.Snippet> snippets() {
        return Documents.all().stream().flatMap(file -> Documents.snippets(file).stream());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("snippets")
    @DisplayName("have Java that compiles")
    void javaCompiles(Documents.Snippet snippet) {
        boolean isWhole = snippet.code().contains("class ");
        String source = isWhole
                ? IMPORTS + snippet.code()
                : IMPORTS + "class Snippet {\n" + snippet.given() + "\nvoid snippet() throws Exception {\n"
                        + snippet.code() + "\n}\n}\n";
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source.replace("public class", "class").replace("public final class", "final class");
                    }
                };
        boolean isGood = compiler.getTask(
                        messages, null, null, List.of("-d", classes.toString(), "-proc:none"), null, List.of(file))
                .call();
        assertThat(isGood).as("%s: %s", snippet, messages).isTrue();
    }

    @Test
    @DisplayName("begin with a snippet of at most ten lines within the first 25 lines of the README")
    void readmeBeginsWithCode() {
        Documents.Snippet first =
                Documents.snippets(Documents.ROOT.resolve("README.md")).get(0);
        assertThat(first.lines()).isLessThanOrEqualTo(10);
        assertThat(first.line() + first.lines()).isLessThanOrEqualTo(25);
    }

    @Test
    @DisplayName("have every decision in an index, with its title")
    void decisionsAreListed() {
        Path folder = Documents.ROOT.resolve("docs/adr");
        String index = Documents.read(folder.resolve("README.md"));
        List<Path> decisions = Documents.all().stream()
                .filter(file -> file.startsWith(folder) && !file.endsWith("README.md"))
                .toList();
        assertThat(decisions).isNotEmpty();
        for (Path decision : decisions) {
            String title =
                    Documents.read(decision).lines().findFirst().orElseThrow().replaceFirst("# \\d+\\. ", "");
            assertThat(index).contains("](" + decision.getFileName() + ") | " + title + " |");
        }
    }

    @Test
    @DisplayName("link to files that exist")
    void linksLead() {
        for (Path file : Documents.all()) {
            Matcher links = LINK.matcher(Documents.read(file));
            while (links.find()) {
                String target = links.group(1);
                if (!target.startsWith("http")) {
                    assertThat(Files.exists(file.resolveSibling(target)))
                            .as("%s links to %s", Documents.ROOT.relativize(file), target)
                            .isTrue();
                }
            }
        }
    }
}
