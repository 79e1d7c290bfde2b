package dev.leasehold.jdbc;

import dev.leasehold.store.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The passwords of a URL, which must not be seen in a driver's errors: those quote the URL, or a part of it. A driver may
 * cut a URL where its user did not mean it to, so pieces of passwords are hidden too.
 */
final class Secrets {
    private static final Pattern SEPARATORS = Pattern.compile("[^\\p{L}\\p{N}]+");

    /** Shorter pieces are left alone: most messages have them by chance. */
    private static final int SHORTEST_PIECE = 3;

    /** Words of URLs, and of most messages. Of a URL that is not understood, all other words count as secret. */
    private static final Set<String> COMMON = Set.of("user", "password", "host", "port", "ssl", "true", "false");

    /** A text that is not shorter is hidden also within a word. */
    private static final int DISTINCT = 6;

    private final @Nullable Pattern secrets;

    private Secrets(Set<String> values) {
        this.secrets = values.isEmpty()
                ? null
                : Pattern.compile(values.stream().map(Secrets::pattern).collect(Collectors.joining("|")));
    }

    private static String pattern(String value) {
        String quoted = Pattern.quote(value);
        return value.length() < DISTINCT ? "(?<![\\p{L}\\p{N}])" + quoted + "(?![\\p{L}\\p{N}])" : quoted;
    }

    /** Those in the URL, as they stand there and decoded, and the one beside it. */
    static Secrets in(String url, @Nullable String password) {
        // The longest first, because one may be the beginning of another.
        TreeSet<String> values = new TreeSet<>(
                Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));
        if (password != null && !password.isEmpty()) {
            values.add(password);
        }
        for (String secret : StoreUrl.of(url).secrets()) {
            Stream.of(secret, decoded(secret)).forEach(text -> addWithPieces(text, values));
        }
        return new Secrets(values);
    }

    private static void addWithPieces(String secret, Set<String> values) {
        values.add(secret);
        SEPARATORS
                .splitAsStream(secret)
                .filter(piece -> piece.length() >= SHORTEST_PIECE && !COMMON.contains(piece.toLowerCase(Locale.ROOT)))
                .forEach(piece -> {
                    values.add(piece);
                    values.add(piece.toUpperCase(Locale.ROOT)); // H2 shows names of settings in upper case.
                });
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
                        || (error instanceof SQLException failed && isShownBy(failed.getNextException()))
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
