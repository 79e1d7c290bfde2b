package dev.leasehold.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** {@code leasehold} itself, which does nothing but name its commands. */
@Command(
        name = "leasehold",
        resourceBundle = Messages.BUNDLE,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = HelpCommand.class)
final class LeaseholdCommand {}
