package dev.leasehold.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A test, or a class of tests, and one tag that it carries: {@code @Tag} in Java, the words before the title in
 * JavaScript.
 *
 * @param file relative to the repository's root
 * @param name the method or class, or the title in JavaScript
 */
record TaggedTest(Path file, String name, String tag) {
    private static final Pattern JAVA_TAG = Pattern.compile("@Tag\\(\"([^\"]+)\"\\)");
    private static final Pattern JAVA_DECLARATION =
            Pattern.compile("(?m)^\\s*(?:(?:public|protected|private|abstract|static|final) )*(?:class|void) (\\w+)");
    private static final Pattern JAVA_TEST =
            Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|ArchTest)\\b");
    private static final Pattern SCRIPT = Pattern.compile(".*\\.(?:test|spec)\\.[cm]?[jt]sx?");
    private static final Pattern SCRIPT_TITLE =
            Pattern.compile("\\b(?:test|it|describe)\\(\\s*['\"`]((?:(?:part-of:)?[A-Z]+-\\d+ )+)([^'\"`]+)");

    /** Those of the whole repository, in the order of their files. */
    static List<TaggedTest> all() {
        return sources()
                .flatMap(file -> in(file, Documents.read(Documents.ROOT.resolve(file))).stream())
                .toList();
    }

    /** Files that may have tests, relative to the repository's root, in order. */
    static Stream<Path> sources() {
        try (Stream<Path> files = Files.walk(Documents.ROOT)) {
            return files
                    .map(Documents.ROOT::relativize)
                    .filter(file -> !file.toString().matches("(?:.*/)?(?:target|node_modules)/.*"))
                    .filter(file ->
                            isJava(file) || SCRIPT.matcher(file.toString()).matches())
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static boolean isJava(Path file) {
        return file.toString().matches(".*/src/.*\\.java");
    }

    /** Those in a file with this text. */
    static List<TaggedTest> in(Path file, String text) {
        return isJava(file) ? inJava(file, text) : inScript(file, text);
    }

    private static List<TaggedTest> inJava(Path file, String text) {
        List<TaggedTest> tests = new ArrayList<>();
        Matcher tags = JAVA_TAG.matcher(text);
        Matcher declaration = JAVA_DECLARATION.matcher(text);
        while (tags.find()) {
            if (!declaration.find(tags.end())) {
                throw new AssertionError(file + ": the tag " + tags.group(1) + " belongs to no test");
            }
            if (isRun(text, tags.start(), declaration)) {
                tests.add(new TaggedTest(file, declaration.group(1), tags.group(1)));
            }
        }
        return tests;
    }

    /** Whether JUnit runs what is declared there: a class that has tests or gets them from another, or a test. */
    private static boolean isRun(String text, int tag, Matcher declaration) {
        boolean isClass = declaration.group().contains("class ");
        if (isClass) {
            String body = text.substring(declaration.end());
            String head = body.substring(0, Math.max(0, body.indexOf('{')));
            return JAVA_TEST.matcher(body).find() || head.contains(" extends ") || head.contains(" implements ");
        }
        // The annotations of a method stand between the end of the last member and its own head.
        String before = text.substring(0, tag);
        int begin = Math.max(before.lastIndexOf(";\n"), Math.max(before.lastIndexOf("}\n"), before.lastIndexOf("{\n")));
        return JAVA_TEST
                .matcher(text.substring(Math.max(0, begin), declaration.end()))
                .find();
    }

    private static List<TaggedTest> inScript(Path file, String text) {
        List<TaggedTest> tests = new ArrayList<>();
        Matcher titles = SCRIPT_TITLE.matcher(text);
        while (titles.find()) {
            for (String tag : titles.group(1).strip().split(" ", -1)) {
                tests.add(new TaggedTest(file, titles.group(2), tag));
            }
        }
        return tests;
    }

    /** The name of a file without its ending. */
    static String shortName(Path file) {
        return Objects.requireNonNull(file.getFileName()).toString().replaceFirst("\\..*", "");
    }
}
