package dev.leasehold.tck.history;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Just enough JSON for one flat object per line, so that the kit brings no parser along. */
final class Json {
    private final String line;
    private final Map<String, String> fields = new HashMap<>();
    private int at;

    private Json(String line) {
        this.line = line;
    }

    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < 0x20) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    static Json parse(String line) {
        Json json = new Json(line);
        json.expect('{');
        while (true) {
            String name = json.string();
            json.expect(':');
            json.fields.put(name, json.peek() == '"' ? json.string() : json.digits());
            if (json.peek() == '}') {
                return json;
            }
            json.expect(',');
        }
    }

    String text(String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("No field \"" + name + "\" in: " + line);
        }
        return value;
    }

    long number(String name) {
        return Long.parseLong(text(name));
    }

    private char peek() {
        if (at >= line.length()) {
            throw new IllegalArgumentException("The line ends too early: " + line);
        }
        return line.charAt(at);
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw new IllegalArgumentException("Expected '" + wanted + "' at index " + at + " of: " + line);
        }
        at++;
    }

    private String digits() {
        int start = at;
        while (peek() == '-' || Character.isDigit(peek())) {
            at++;
        }
        return line.substring(start, at);
    }

    private String string() {
        expect('"');
        StringBuilder text = new StringBuilder();
        while (peek() != '"') {
            char c = line.charAt(at++);
            if (c != '\\') {
                text.append(c);
            } else if (peek() == 'u') {
                text.append((char) Integer.parseInt(line.substring(at + 1, at + 5), 16));
                at += 5;
            } else {
                text.append(line.charAt(at++));
            }
        }
        at++;
        return text.toString();
    }
}
