package dev.leasehold.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The passwords of a URL, which must not be seen in a driver's errors: those quote the URL, or a part of it. */
final class Secrets {
    /** What follows the name of a secret, and what stands between a user's name and the host. */
    private static final Pattern IN_URL =
            Pattern.compile("(?i)(?:password|passwd|pwd|secret|token)[^=&;?/]*=([^&;]+)|//[^/@?:]*:([^/?]+)(?=@)");

    private final @Nullable Pattern secrets;

    private Secrets(Set<String> values) {
        this.secrets = values.isEmpty()
                ? null
                : Pattern.compile(values.stream()
                        .map(Pattern::quote)
                        .collect(Collectors.joining("|", "(?<![\\p{L}\\p{N}])(?:", ")(?![\\p{L}\\p{N}])")));
    }

    /** Those in the URL, as they stand there and decoded, and the one beside it. */
    static Secrets in(String url, @Nullable String password) {
        // The longest first, because one may be the beginning of another.
        TreeSet<String> values = new TreeSet<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        if (password != null && !password.isEmpty()) {
            values.add(password);
        }
        Matcher found = IN_URL.matcher(url);
        while (found.find()) {
            String value = found.group(1) == null ? found.group(2) : found.group(1);
            values.add(value);
            values.add(decoded(value));
        }
        return new Secrets(values);
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // Not encoded.
        }
    }

    /** The same error, or, if it shows a secret or one of its causes does, one that says the same without. */
    SQLException hide(SQLException error) {
        if (!isShownBy(error)) {
            return error;
        }
        SQLException hidden =
                new SQLException(hide(String.valueOf(error.getMessage())), error.getSQLState(), error.getErrorCode());
        return withTrace(hidden, error);
    }

    /** The same for an error that a driver did not foresee. */
    RuntimeException hide(RuntimeException error) {
        return isShownBy(error) ? withTrace(new IllegalStateException(hide(error.toString())), error) : error;
    }

    private boolean isShownBy(@Nullable Throwable error) {
        return error != null
                && secrets != null
                && (secrets.matcher(error.toString()).find()
                        || isShownBy(error.getCause())
                        || Stream.of(error.getSuppressed()).anyMatch(this::isShownBy));
    }

    private <E extends Throwable> E withTrace(E hidden, Throwable error) {
        hidden.setStackTrace(error.getStackTrace());
        Throwable cause = error.getCause();
        if (cause != null) {
            hidden.initCause(withTrace(new Exception(hide(cause.toString())), cause));
        }
        return hidden;
    }

    private String hide(String text) {
        return secrets == null ? text : secrets.matcher(text).replaceAll("***");
    }
}
