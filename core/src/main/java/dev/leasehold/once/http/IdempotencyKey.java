package dev.leasehold.once.http;

import dev.leasehold.once.KeyParts;
import dev.leasehold.store.Key;
import java.util.List;

/**
 * What a client sends in the header {@code Idempotency-Key} to say that two requests are one.
 *
 * <p>The header is a string of the structured fields of HTTP, in double quotes: {@code "8e03978e-40d5"}. There may be
 * one only.
 */
public final class IdempotencyKey {
    /** The header's name. */
    public static final String HEADER = "Idempotency-Key";

    /** The longest key, in characters between the quotes. */
    public static final int MAX_LENGTH = 255;

    private IdempotencyKey() {}

    /** What the header was. */
    public sealed interface Parsed {
        /** The client's key. Not yet a key of ours: see {@link IdempotencyKey#scoped}. */
        record Valid(String value) implements Parsed {}

        /** No such header. */
        record Missing() implements Parsed {}

        /** Not what the header has to be; {@code reason} says why to the client's author. */
        record Malformed(String reason) implements Parsed {}
    }

    /** Reads the header's values as the request has them, one for each time it was sent. */
    public static Parsed parse(List<String> values) {
        return parse(values, false);
    }

    /** The same, but a key without quotes is taken as well: many clients send it so. */
    public static Parsed parseLeniently(List<String> values) {
        return parse(values, true);
    }

    private static Parsed parse(List<String> values, boolean takesBare) {
        if (values.isEmpty()) {
            return new Parsed.Missing();
        }
        if (values.size() > 1) {
            return new Parsed.Malformed(
                    "The header " + HEADER + " was sent " + values.size() + " times; send it once.");
        }
        String field = trimmed(values.get(0));
        if (field.startsWith("\"")) {
            return quoted(field);
        }
        if (takesBare && !field.isEmpty() && field.chars().allMatch(IdempotencyKey::isBare)) {
            return checked(field);
        }
        return new Parsed.Malformed(
                "The header " + HEADER + " must be one string in double quotes, such as \"8e03978e\".");
    }

    /** Blanks around a field are no part of it; only they, because other white space is not allowed there. */
    private static String trimmed(String field) {
        int start = 0;
        int end = field.length();
        while (start < end && field.charAt(start) == ' ') {
            start++;
        }
        while (end > start && field.charAt(end - 1) == ' ') {
            end--;
        }
        return field.substring(start, end);
    }

    private static Parsed quoted(String field) {
        StringBuilder value = new StringBuilder(field.length());
        for (int i = 1; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == '"') {
                return i == field.length() - 1
                        ? checked(value.toString())
                        : new Parsed.Malformed("The header " + HEADER + " must end with the closing quote.");
            }
            if (c == '\\') {
                i++;
                c = i < field.length() ? field.charAt(i) : 0;
                if (c != '"' && c != '\\') {
                    return new Parsed.Malformed(
                            "In the header " + HEADER + " a backslash can stand before a quote or backslash only.");
                }
            } else if (c < ' ' || c > '~') {
                return new Parsed.Malformed("The header " + HEADER
                        + " must have printable ASCII characters only; see the one at " + i + ".");
            }
            value.append(c);
        }
        return new Parsed.Malformed("The header " + HEADER + " has no closing quote.");
    }

    private static Parsed checked(String value) {
        if (value.isBlank()) {
            return new Parsed.Malformed("The header " + HEADER + " must not be empty.");
        }
        return value.length() > MAX_LENGTH
                ? new Parsed.Malformed("The header " + HEADER + " must have at most " + MAX_LENGTH
                        + " characters; this one has " + value.length() + ".")
                : new Parsed.Valid(value);
    }

    /** Characters that cannot be taken for a list, parameters or the beginning of a quoted string. */
    private static boolean isBare(int c) {
        return c > ' ' && c <= '~' && c != '"' && c != ',' && c != ';' && c != '\\';
    }

    /**
     * The key of a request: the client's own key counts only for its tenant, method and route, so that one client can
     * neither get nor block the answers of another. Different arguments never give the same key.
     *
     * @param tenant who asks, as authentication says, never the client itself
     * @param method the request's method, in capitals
     * @param route the pattern of the path, such as {@code /api/mocs/{id}}, or the path itself
     */
    public static Key scoped(String tenant, String method, String route, Parsed.Valid clientKey) {
        return KeyParts.join(tenant, method, route, clientKey.value());
    }
}
