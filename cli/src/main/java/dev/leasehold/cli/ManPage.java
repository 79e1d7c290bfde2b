package dev.leasehold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page, in roff, from what {@code --help} is made of. */
final class ManPage {
    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    static String of(CommandLine line) {
        CommandSpec root = line.getCommandSpec();
        ManPage manual = new ManPage();
        String name = root.name();
        manual.request("TH", name.toUpperCase(Locale.ROOT), "1", "", root.version()[0], "");
        manual.request("SH", "NAME");
        manual.text(name + " - " + first(root.usageMessage().description()));
        manual.request("SH", "SYNOPSIS");
        manual.synopsis(line);
        manual.request("SH", "COMMANDS");
        for (CommandLine command : commands(line)) {
            manual.request("SS", command.getCommandSpec().qualifiedName());
            manual.command(command);
        }
        return manual.page + rest();
    }

    /** What no option says: exit codes, environment, files. */
    private static String rest() {
        try (InputStream text = ManPage.class.getResourceAsStream("leasehold.1")) {
            return new String(Objects.requireNonNull(text).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Each once, although it may have several names. */
    private static Set<CommandLine> commands(CommandLine line) {
        Set<CommandLine> commands = new LinkedHashSet<>(line.getSubcommands().values());
        commands.removeIf(command -> command.getCommandSpec().usageMessage().hidden());
        return commands;
    }

    private static String first(String[] lines) {
        return lines.length == 0 ? "" : plain(lines[0]);
    }

    private void synopsis(CommandLine line) {
        String words = line.getHelp().synopsis(0).strip().replaceAll("\\s+", " ");
        text(words);
    }

    private void command(CommandLine line) {
        synopsis(line);
        CommandSpec spec = line.getCommandSpec();
        for (String paragraph : spec.usageMessage().description()) {
            request("PP");
            text(plain(paragraph));
        }
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            argument(parameter.paramLabel(), parameter);
        }
        for (OptionSpec option : spec.options()) {
            String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
            argument(String.join(", ", option.names()) + label, option);
        }
        String[] examples = spec.usageMessage().footer();
        if (examples.length > 0) {
            request("PP");
            request("nf");
            for (String example : examples) {
                text(plain(example));
            }
            request("fi");
        }
    }

    private void argument(String title, ArgSpec spec) {
        if (spec.hidden()) {
            return;
        }
        request("TP");
        page.append("\\fB").append(escaped(title)).append("\\fR\n");
        for (String line : spec.description()) {
            text(plain(line));
        }
    }

    private void request(String name, String... words) {
        List<String> quoted = new ArrayList<>(List.of("." + name));
        for (String word : words) {
            quoted.add('"' + escaped(word).replace("\"", "\\(dq") + '"');
        }
        page.append(String.join(" ", quoted)).append('\n');
    }

    /** A line that begins with a point or an apostrophe would be a request. */
    private void text(String line) {
        String safe = escaped(line);
        page.append(safe.startsWith(".") || safe.startsWith("'") ? "\\&" : "")
                .append(safe)
                .append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\e").replace("-", "\\-");
    }

    /** As help shows it, without colours. */
    private static String plain(String markup) {
        return Ansi.OFF.string(markup.replace("%n", "\n").replace("%%", "%"));
    }
}
