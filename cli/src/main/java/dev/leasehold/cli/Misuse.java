package dev.leasehold.cli;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is wrong with a command line, in the user's language as far as picocli tells it apart. */
final class Misuse {
    private Misuse() {}

    static String text(ParameterException wrong) {
        if (wrong instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return Messages.text(
                    "usage.missing",
                    missing.getMissing().stream().map(Misuse::name).collect(Collectors.joining(", ")));
        }
        if (wrong instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().get(0);
            String text = Messages.text(
                    unmatched.isUnknownOption() ? "usage.unknown-option" : "usage.unknown-argument", first);
            return unmatched.getSuggestions().isEmpty()
                    ? text
                    : text + " " + Messages.text("usage.meant", String.join(", ", unmatched.getSuggestions()));
        }
        @Nullable ArgSpec argument = wrong.getArgSpec();
        if (argument == null) {
            return String.valueOf(wrong.getMessage());
        }
        if (wrong instanceof OverwrittenOptionException) {
            return Messages.text("usage.twice", name(argument));
        }
        if (wrong.getCause() instanceof TypeConversionException cause) {
            return Messages.text("usage.invalid", name(argument), cause.getMessage());
        }
        @Nullable String value = wrong.getValue();
        return value == null
                ? String.valueOf(wrong.getMessage())
                : Messages.text("usage.invalid-value", name(argument), value, argument.paramLabel());
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
