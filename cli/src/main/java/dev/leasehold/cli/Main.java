package dev.leasehold.cli;

import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;

/** The entry point of the command {@code leasehold}. */
public final class Main {
    private static final List<String> COMMANDS = List.of(
            "run",
            "once",
            "list",
            "show",
            "history",
            "watch",
            "wait",
            "acquire",
            "renew",
            "release",
            "schema",
            "doctor",
            "explain",
            "completion");

    /** Those that run somebody else's command. */
    private static final Set<String> RUNNERS = Set.of("run", "once");

    private Main() {}

    /** Ends the process with the code of the command, or of what went wrong. */
    public static void main(String[] arguments) {
        int code;
        try {
            Locale.setDefault(Language.of(Locale.getDefault(), System.getenv()));
            code = execute(commandLine(arguments), arguments);
        } catch (Throwable bug) {
            code = bug(bug, new PrintWriter(new OutputStreamWriter(System.err, Charset.defaultCharset()), true));
        }
        System.exit(code);
    }

    /** Does the same with other streams and without ending the process. Commands that are run do not write to these. */
    static int run(PrintWriter out, PrintWriter err, String... arguments) {
        return execute(commandLine(arguments).setOut(out).setErr(err), arguments);
    }

    private static int execute(CommandLine line, String... arguments) {
        for (String argument : arguments) {
            // What the JVM could not decode is lost: a command would get other arguments than it was given.
            if (argument.indexOf('\uFFFD') >= 0) {
                say(line.getErr(), Messages.text("main.undecodable"));
                return ExitCode.USAGE;
            }
        }
        return line.execute(arguments);
    }

    static CommandLine commandLine(String... arguments) {
        CommandLine line = new CommandLine(new LeaseholdCommand());
        String first = arguments.length == 0 ? "" : arguments[0];
        for (String name : COMMANDS.contains(first) ? List.of(first) : COMMANDS) {
            line.addSubcommand(name, command(name));
        }
        line.setExecutionExceptionHandler((failure, failed, result) -> failed(failure, failed.getErr()));
        line.setParameterExceptionHandler((wrong, given) -> misused(wrong));
        // What begins with @ is an argument like any other, above all one of a command that is run.
        line.setExpandAtFiles(false);
        line.getSubcommands().forEach((name, command) -> {
            // The first word that is not ours begins the command, and all that follows is its own.
            command.setStopAtPositional(RUNNERS.contains(name));
            command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new OptionGroups());
        });
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    /** Made when it is called, because reading the annotations of one takes time. */
    private static Object command(String name) {
        return switch (name) {
            case "run" -> new RunCommand();
            case "once" -> new OnceCommand();
            case "list" -> new ListCommand();
            case "show" -> new ShowCommand();
            case "history" -> new HistoryCommand();
            case "watch" -> new WatchCommand();
            case "wait" -> new WaitCommand();
            case "acquire" -> new AcquireCommand();
            case "renew" -> new RenewCommand();
            case "release" -> new ReleaseCommand();
            case "schema" -> new SchemaCommand();
            case "doctor" -> new DoctorCommand();
            case "explain" -> new ExplainCommand();
            case "completion" -> new CompletionCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static int misused(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        say(command.getErr(), Misuse.text(wrong));
        command.getErr()
                .println(Messages.text("main.see-help", command.getCommandSpec().qualifiedName()));
        command.getErr().flush();
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure, PrintWriter err) {
        if (failure instanceof StoreUnavailableException) {
            say(err, Messages.text("store.unavailable", failure.getMessage()));
            return ExitCode.UNAVAILABLE;
        }
        if (failure instanceof StoreException refused) {
            say(err, advice(refused));
            return ExitCode.CONFIG;
        }
        return bug(failure, err);
    }

    /** What is wrong with a store, and which command of ours helps. */
    static String advice(StoreException refused) {
        return refused instanceof MissingSchemaException missing
                ? missing.what() + " " + Messages.text("store.no-schema")
                : String.valueOf(refused.getMessage());
    }

    private static int bug(Throwable bug, PrintWriter err) {
        say(err, Messages.text("main.bug", bug));
        bug.printStackTrace(err);
        err.flush();
        return ExitCode.BUG;
    }

    private static void say(PrintWriter err, String text) {
        err.println("leasehold: " + Messages.clean(text));
        err.flush();
    }
}
