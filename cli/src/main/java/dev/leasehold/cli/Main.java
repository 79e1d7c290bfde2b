package dev.leasehold.cli;

import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;

/** The entry point of the command {@code leasehold}. */
public final class Main {
    /** Every command by its name. Made when it is called, because reading the annotations of one takes time. */
    private static final Map<String, Supplier<Object>> COMMANDS = new LinkedHashMap<>();

    /** Those that run somebody else's command. */
    private static final Set<String> RUNNERS = Set.of("run");

    static {
        COMMANDS.put("run", RunCommand::new);
        COMMANDS.put("list", ListCommand::new);
        COMMANDS.put("show", ShowCommand::new);
        COMMANDS.put("history", HistoryCommand::new);
        COMMANDS.put("watch", WatchCommand::new);
        COMMANDS.put("wait", WaitCommand::new);
        COMMANDS.put("acquire", AcquireCommand::new);
        COMMANDS.put("renew", RenewCommand::new);
        COMMANDS.put("release", ReleaseCommand::new);
        COMMANDS.put("schema", SchemaCommand::new);
        COMMANDS.put("doctor", DoctorCommand::new);
        COMMANDS.put("explain", ExplainCommand::new);
        COMMANDS.put("completion", CompletionCommand::new);
    }

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
        COMMANDS.forEach((name, command) -> {
            if (!COMMANDS.containsKey(first) || first.equals(name)) {
                line.addSubcommand(name, command.get());
            }
        });
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
        String message = String.valueOf(refused.getMessage());
        return refused instanceof MissingSchemaException ? message + " " + Messages.text("store.no-schema") : message;
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
