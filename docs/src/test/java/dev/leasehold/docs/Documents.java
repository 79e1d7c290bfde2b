package dev.leasehold.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The documents of the repository, and the Java in them. */
final class Documents {
    /** The repository's root: this module's tests run in its own folder. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Pattern SNIPPET =
            Pattern.compile("(?:<!-- given: (.*?) -->\\n)?```java\\n(.*?)```", Pattern.DOTALL);

    private Documents() {}

    /**
     * Java in a document.
     *
     * @param given declarations that the reader is to imagine, from a comment before the snippet
     */
    record Snippet(String document, int line, String given, String code) {
        int lines() {
            return (int) code.lines().count();
        }

        @Override
        public String toString() {
            return document + ":" + line;
        }
    }

    static List<Path> all() {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"));
                Stream<Path> root = Files.list(ROOT)) {
            return Stream.concat(root, files)
                    .filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.startsWith(ROOT.resolve("docs/target")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<Snippet> snippets(Path file) {
        String text = read(file);
        List<Snippet> snippets = new ArrayList<>();
        Matcher matcher = SNIPPET.matcher(text);
        while (matcher.find()) {
            int line = (int) text.substring(0, matcher.start(2)).lines().count() + 1;
            String given = matcher.group(1) == null ? "" : matcher.group(1);
            snippets.add(new Snippet(ROOT.relativize(file).toString(), line, given, matcher.group(2)));
        }
        return snippets;
    }
}
