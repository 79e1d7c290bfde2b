package dev.leasehold.cli;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the tool itself has to say, on standard error: standard output is the command's. Either lines for people, or with
 * {@code --json} one object a line. Safe for use by many threads.
 */
final class Voice {
    private static final String PREFIX = "leasehold: ";

    private final PrintStream out;
    private final boolean isQuiet;
    private final boolean isVerbose;
    private final boolean isJson;

    Voice(PrintStream out, boolean isQuiet, boolean isVerbose, boolean isJson) {
        this.out = out;
        this.isQuiet = isQuiet;
        this.isVerbose = isVerbose;
        this.isJson = isJson;
    }

    /** For those who want to know more. */
    void detail(String text) {
        if (isVerbose && !isJson) {
            out.println(PREFIX + Messages.clean(text));
        }
    }

    /** What happened, unless people asked for quiet. */
    void notice(String text) {
        if (!isQuiet && !isJson) {
            out.println(PREFIX + Messages.clean(text));
        }
    }

    /** What somebody must do something about; said in any case. */
    void error(String text) {
        if (isJson) {
            event("error", Map.of("message", text));
        } else {
            out.println(PREFIX + Messages.clean(text));
        }
    }

    /** Something that happened, for programs. */
    void event(String name, Map<String, ?> fields) {
        if (isJson) {
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("event", name);
            line.putAll(fields);
            out.println(Json.text(line));
        }
    }
}
