package dev.leasehold.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.OptionSpec;

/** The options of a command in its help, in groups: what is used always, what now and then, what by programs. */
final class OptionGroups implements IHelpSectionRenderer {
    /** By the longest name. What is not here is what the command is about. */
    private static final Map<String, String> GROUPS = Map.ofEntries(
            Map.entry("--ttl", "times"),
            Map.entry("--wait", "times"),
            Map.entry("--timeout", "times"),
            Map.entry("--at-least", "times"),
            Map.entry("--cooldown", "times"),
            Map.entry("--max-runtime", "times"),
            Map.entry("--grace", "times"),
            Map.entry("--renew", "times"),
            Map.entry("--retention", "times"),
            Map.entry("--on-lost", "trouble"),
            Map.entry("--on-store-error", "trouble"),
            Map.entry("--busy-exit-code", "trouble"),
            Map.entry("--skip-ok", "trouble"),
            Map.entry("--keep-failures", "trouble"),
            Map.entry("--force", "trouble"),
            Map.entry("--fence", "trouble"),
            Map.entry("--reason", "trouble"),
            Map.entry("--json", "output"),
            Map.entry("--report", "output"),
            Map.entry("--quiet", "output"),
            Map.entry("--verbose", "output"),
            Map.entry("--store", "general"),
            Map.entry("--store-timeout", "general"),
            Map.entry("--help", "general"),
            Map.entry("--version", "general"));

    private static final List<String> ORDER = List.of("subject", "times", "trouble", "output", "general");

    @Override
    public String render(Help help) {
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        ORDER.forEach(name -> groups.put(name, new ArrayList<>()));
        for (OptionSpec option : help.commandSpec().options()) {
            if (!option.hidden()) {
                groups.getOrDefault(GROUPS.getOrDefault(option.longestName(), "subject"), new ArrayList<>())
                        .add(option);
            }
        }
        StringBuilder text = new StringBuilder();
        groups.forEach((name, options) -> {
            if (!options.isEmpty()) {
                text.append(help.createHeading("%n" + Messages.text("options." + name) + "%n"))
                        .append(help.optionListExcludingGroups(options));
            }
        });
        return text.toString();
    }
}
