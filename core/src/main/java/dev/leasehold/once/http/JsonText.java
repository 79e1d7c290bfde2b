package dev.leasehold.once.http;

import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** Writes flat JSON objects: all that an answer needs. */
final class JsonText {
    private JsonText() {}

    static String of(Map<String, Object> members) {
        StringJoiner object = new StringJoiner(",", "{", "}");
        members.forEach((name, value) -> object.add(quote(name) + ":"
                + (value instanceof Number || value instanceof Boolean ? value.toString() : quote(value.toString()))));
        return object.toString();
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
