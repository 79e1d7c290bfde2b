package dev.leasehold.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What a command answers: lines and tables for people, or JSON, on standard output; remarks on standard error. A part of
 * every command that runs nothing.
 */
final class Output {
    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(names = "--json", descriptionKey = "json")
    private boolean isJson;

    private CommandLine line() {
        if (command == null) {
            throw new IllegalStateException("There is no command line.");
        }
        return command.commandLine();
    }

    boolean isJson() {
        return isJson;
    }

    /** Whether standard output is a terminal that shows colours, and whoever reads it wants them. */
    boolean isColoured() {
        return line().getColorScheme().ansi().enabled();
    }

    /** Text of ours, which may have several lines. What comes from elsewhere went through {@link Shown}. */
    void print(String text) {
        PrintWriter out = line().getOut();
        out.println(text);
        out.flush();
    }

    /** One object or list in one line. */
    void printJson(Object value) {
        print(Json.text(value));
    }

    /** The same answer for people or for programs. */
    void answer(String text, Map<String, ?> fields) {
        if (isJson) {
            printJson(fields);
        } else {
            print(Shown.of(text));
        }
    }

    /** A remark for people, beside the answer. */
    void say(String text) {
        PrintWriter err = line().getErr();
        err.println("leasehold: " + Messages.clean(text));
        err.flush();
    }

    /** A "no": to people a remark, to programs the answer. */
    void deny(String text, Map<String, ?> fields) {
        if (isJson) {
            printJson(fields);
        } else {
            say(text);
        }
    }

    /** Whether nobody reads standard output any more. */
    boolean isCutOff() {
        return line().getOut().checkError();
    }

    ParameterException misuse(String message, Object... data) {
        return new ParameterException(line(), Messages.text(message, data));
    }

    /** The option's value, unless it is shorter than a second. */
    Duration checkedTtl(Duration ttl) {
        if (ttl.compareTo(Duration.ofSeconds(1)) < 0) {
            throw misuse("run.short-ttl", Durations.text(ttl));
        }
        return ttl;
    }
}
