package dev.leasehold.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A statement with named parameters, {@code :name}, each of which may occur any number of times.
 *
 * @param text the statement as the driver wants it
 * @param names the parameters in the order of its question marks
 */
record Sql(String text, List<String> names) {
    private static final Pattern PARAMETER = Pattern.compile("(?<!:):([a-zA-Z][a-zA-Z0-9]*)");

    static Sql of(String template) {
        List<String> names = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        Matcher parameters = PARAMETER.matcher(template);
        while (parameters.find()) {
            names.add(parameters.group(1));
            parameters.appendReplacement(text, "?");
        }
        return new Sql(parameters.appendTail(text).toString(), List.copyOf(names));
    }
}
