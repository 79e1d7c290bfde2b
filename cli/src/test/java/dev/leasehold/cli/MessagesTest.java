package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

@DisplayName("Words")
class MessagesTest {
    private static final Path RESOURCES = Path.of("src/main/resources/dev/leasehold/cli");
    private static final Path SOURCES = Path.of("src/main/java/dev/leasehold/cli");
    private static final Pattern PLACEHOLDER = Pattern.compile("%(?:(\\d+)\\$)?([sn%])|\\$\\{[A-Z-]+}");

    /** Names that are put together in the code. */
    private static final Pattern COMPOSED = Pattern.compile("(column|options|explain|doctor\\.without-)\\b.*");

    @ParameterizedTest(name = "{0} says everything that English says, with the same data in it")
    @ValueSource(strings = {"ja", "ko"})
    void everyLanguageIsComplete(String language) {
        Map<String, Set<String>> english = placeholders(bundle(""));
        assertThat(placeholders(bundle("_" + language))).isEqualTo(english);
    }

    @ParameterizedTest(name = "{0} is written in its own script")
    @CsvSource({"ja, '[\\p{IsHiragana}\\p{IsKatakana}\\p{IsHan}]'", "ko, '\\p{IsHangul}'"})
    void nothingIsLeftInEnglish(String language, String script) {
        Pattern letters = Pattern.compile(script);
        Pattern words = Pattern.compile("[a-z]{3,} [a-z]{3,} [a-z]{3,}");
        bundle("_" + language).forEach((name, text) -> {
            if (!name.matches(".*usage\\.footer(\\.\\d)?")
                    && words.matcher(text).find()) {
                assertThat(text).as(name).containsPattern(letters);
            }
        });
    }

    @Test
    void whatTheCodeSaysIsThere() {
        Pattern said = Pattern.compile("(?:Messages\\.text|misuse|usage)\\(\\s*\"([a-z.-]+[a-z0-9-])\"\\s*[,)]");
        Set<String> missing = new TreeSet<>();
        for (Matcher matcher = said.matcher(code()); matcher.find(); ) {
            missing.add(matcher.group(1));
        }
        assertThat(missing).isNotEmpty();
        missing.removeAll(bundle("").keySet());
        assertThat(missing).isEmpty();
    }

    @Test
    void whatIsThereIsSaid() {
        String code = code();
        List<String> unused = new ArrayList<>();
        for (String name : bundle("").keySet()) {
            boolean isSaid =
                    code.contains('"' + name + '"') || COMPOSED.matcher(name).matches() || isHelp(name);
            if (!isSaid) {
                unused.add(name);
            }
        }
        assertThat(unused).isEmpty();
    }

    /** Whether picocli asks for it. */
    private static boolean isHelp(String name) {
        if (name.startsWith("usage.")
                || name.startsWith("leasehold.usage.")
                || Set.of("help", "version", "json", "key", "token", "store").contains(name)
                || name.startsWith("helpCommand.")) {
            return true;
        }
        CommandLine all = Main.commandLine();
        String[] parts = name.split("\\.", 3);
        if (!parts[0].equals("leasehold")) {
            return false;
        }
        if (parts.length == 2) {
            return Set.of("help", "version").contains(parts[1]);
        }
        CommandLine command = all.getSubcommands().get(parts[1]);
        return command != null
                && (parts[2].matches("usage\\.(header|description|footer|exitCodeList|exitCodeListHeading)(\\.\\d+)?")
                        || command.getCommandSpec().args().stream()
                                .anyMatch(argument -> names(argument).contains(parts[2])));
    }

    private static Set<String> names(ArgSpec argument) {
        Set<String> names = new TreeSet<>();
        if (argument instanceof OptionSpec option) {
            for (String name : option.names()) {
                names.add(name.replaceFirst("^-+", ""));
            }
            names.add(option.userObject() instanceof java.lang.reflect.Member member ? member.getName() : "");
        } else {
            names.add(argument.paramLabel());
            names.add(argument.paramLabel() + "[0..*]");
        }
        return names;
    }

    @ParameterizedTest(name = "every command, option and argument is described in \"{0}\"")
    @ValueSource(strings = {"en", "ja", "ko"})
    void everythingIsDescribed(String language) {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag(language));
            Main.commandLine().getSubcommands().forEach((name, command) -> {
                CommandSpec spec = command.getCommandSpec();
                assertThat(Stream.of(
                                        spec.usageMessage().description(),
                                        spec.usageMessage().header())
                                .flatMap(Stream::of))
                        .as(name)
                        .isNotEmpty();
                assertThat(spec.usageMessage().footer()).as(name).isNotEmpty();
                assertThat(spec.args())
                        .allSatisfy(argument -> assertThat(argument.description())
                                .as(name + " " + argument)
                                .isNotEmpty());
            });
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void thePropertyOfTheJvmDecides() {
        assertThat(Answer.in(Locale.JAPANESE, "explain", "79").out()).startsWith("79: リースを失い");
        assertThat(Answer.in(Locale.KOREAN, "explain", "79").out()).startsWith("79: 리스를 잃어");
        assertThat(Answer.in(Locale.FRENCH, "explain", "79").out()).startsWith("79: the lease was lost");
    }

    private static Map<String, String> bundle(String suffix) {
        Properties read = new Properties();
        try (java.io.Reader reader = Files.newBufferedReader(RESOURCES.resolve("messages" + suffix + ".properties"))) {
            read.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> bundle = new TreeMap<>();
        read.forEach((name, text) -> bundle.put((String) name, (String) text));
        return bundle;
    }

    /** By their numbers: another language may need another order. */
    private static Map<String, Set<String>> placeholders(Map<String, String> bundle) {
        Map<String, Set<String>> all = new TreeMap<>();
        bundle.forEach((name, text) -> {
            Set<String> found = new TreeSet<>();
            int count = 0;
            for (Matcher matcher = PLACEHOLDER.matcher(text); matcher.find(); ) {
                boolean isPlain = "s".equals(matcher.group(2)) && matcher.group(1) == null;
                found.add(isPlain ? "%" + ++count + "$s" : matcher.group());
            }
            all.put(name, found);
        });
        return all;
    }

    private static String code() {
        try (Stream<Path> files = Files.list(SOURCES)) {
            StringBuilder code = new StringBuilder();
            for (Path file : files.toList()) {
                code.append(Files.readString(file));
            }
            return code.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
