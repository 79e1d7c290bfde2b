package dev.leasehold.cli;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The entry point of the command {@code leasehold}. */
public final class Main {
    /** Every command by its name. Made when it is called, because reading the annotations of one takes time. */
    private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("run", RunCommand::new);
    }

    private Main() {}

    /** Ends the process with the code of the command, or of what went wrong. */
    public static void main(String[] arguments) {
        System.exit(execute(arguments));
    }

    private static int execute(String[] arguments) {
        try {
            for (String argument : arguments) {
                // What the JVM could not decode is lost: a command would get other arguments than it was given.
                if (argument.indexOf('\uFFFD') >= 0) {
                    System.err.println("leasehold: " + Messages.text("main.undecodable"));
                    return ExitCode.USAGE;
                }
            }
            return commandLine(arguments).execute(arguments);
        } catch (Throwable bug) {
            return bug(bug);
        }
    }

    static CommandLine commandLine(String... arguments) {
        CommandLine line = new CommandLine(new LeaseholdCommand());
        String first = arguments.length == 0 ? "" : arguments[0];
        COMMANDS.forEach((name, command) -> {
            if (!COMMANDS.containsKey(first) || first.equals(name)) {
                line.addSubcommand(name, command.get());
            }
        });
        line.setExecutionExceptionHandler((failure, failed, result) -> failed(failure));
        line.setParameterExceptionHandler((wrong, given) -> misused(wrong));
        // The first word that is not ours begins the command, and all that follows is its own.
        line.setStopAtPositional(true);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    private static int misused(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        System.err.println("leasehold: " + Messages.clean(String.valueOf(wrong.getMessage())));
        System.err.println(
                Messages.text("main.see-help", command.getCommandSpec().qualifiedName()));
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure) {
        if (failure instanceof StoreUnavailableException) {
            System.err.println("leasehold: " + Messages.text("store.unavailable", message(failure)));
            return ExitCode.UNAVAILABLE;
        }
        if (failure instanceof StoreException) {
            System.err.println("leasehold: " + message(failure));
            return ExitCode.CONFIG;
        }
        return bug(failure);
    }

    private static String message(Exception failure) {
        return Messages.clean(String.valueOf(failure.getMessage()));
    }

    private static int bug(Throwable bug) {
        System.err.println("leasehold: " + Messages.text("main.bug", bug));
        bug.printStackTrace();
        return ExitCode.BUG;
    }
}
