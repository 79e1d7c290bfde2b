package dev.leasehold.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completion for fish, which picocli does not know: a line for every command and option of the model. */
final class FishCompletion {
    private final List<String> lines = new ArrayList<>();

    FishCompletion(CommandLine leasehold) {
        lines.add("# fish completion for leasehold; put it into ~/.config/fish/completions/leasehold.fish");
        lines.add("complete -c leasehold -f");
        leasehold.getSubcommands().forEach((name, command) -> {
            lines.add("complete -c leasehold -n __fish_use_subcommand -a " + name + " -d "
                    + quoted(summary(command.getCommandSpec())));
        });
        leasehold.getSubcommands().forEach((name, command) -> {
            String condition = "-n '__fish_seen_subcommand_from " + name + "'";
            command.getCommandSpec().options().forEach(option -> add(condition, option));
            command.getCommandSpec().positionalParameters().forEach(parameter -> {
                List<String> words = words(parameter.completionCandidates());
                if (!words.isEmpty()) {
                    lines.add("complete -c leasehold " + condition + " -a " + quoted(String.join(" ", words)));
                }
            });
        });
        // Behind -- stands somebody else's command, with files and all.
        lines.add("complete -c leasehold -n '__fish_seen_subcommand_from run once;"
                + " and contains -- -- (commandline -opc)' -F");
    }

    private void add(String condition, OptionSpec option) {
        StringJoiner line = new StringJoiner(" ").add("complete -c leasehold").add(condition);
        for (String name : option.names()) {
            line.add(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1));
        }
        List<String> words = words(option.completionCandidates());
        if (!words.isEmpty()) {
            line.add("-xa " + quoted(String.join(" ", words)));
        } else if (option.arity().max() > 0) {
            line.add("-r");
        }
        String[] description = option.description();
        if (description.length > 0) {
            line.add("-d " + quoted(firstSentence(description[0])));
        }
        lines.add(line.toString());
    }

    private static List<String> words(@Nullable Iterable<String> candidates) {
        List<String> words = new ArrayList<>();
        if (candidates != null) {
            candidates.forEach(words::add);
        }
        return words;
    }

    private static String summary(CommandSpec command) {
        String[] header = command.usageMessage().header();
        String[] description = command.usageMessage().description();
        return header.length > 0 ? header[0] : description.length > 0 ? firstSentence(description[0]) : "";
    }

    private static String firstSentence(String text) {
        int end = text.indexOf(". ");
        return end < 0 ? text : text.substring(0, end + 1);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    @Override
    public String toString() {
        return String.join("\n", lines) + "\n";
    }
}
