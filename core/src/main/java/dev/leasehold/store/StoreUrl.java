package dev.leasehold.store;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is: a scheme, such as {@code file}, {@code sqlite} or {@code jdbc:postgresql}, and what its provider
 * makes of the rest. User and password may stand beside it, so that they need not stand in the text. Immutable.
 */
public final class StoreUrl {
    private static final Pattern SHAPE = Pattern.compile("(?s)((?i:jdbc:)?[a-zA-Z][a-zA-Z0-9+.-]*):(.*)");

    /** What follows the name of a secret, and what stands between a user's name and the host. */
    private static final Pattern SECRET =
            Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)[^=&;?/]*=)[^&;]*|(//[^/@?:]*:)[^/?]*(?=@)");

    private final String text;
    private final String scheme;
    private final String rest;
    private final @Nullable String user;
    private final @Nullable String password;

    private StoreUrl(String text, String scheme, String rest, @Nullable String user, @Nullable String password) {
        this.text = text;
        this.scheme = scheme;
        this.rest = rest;
        this.user = user;
        this.password = password;
    }

    /**
     * Reads a URL. Of one that begins with {@code jdbc:}, the scheme goes up to the second colon.
     *
     * @throws StoreException if there is no scheme
     */
    public static StoreUrl of(String text) {
        Matcher matcher = SHAPE.matcher(text);
        if (!matcher.matches()) {
            throw new StoreException("A store's URL begins with a scheme and a colon, such as file:/var/lib/leases: "
                    + Text.quote(redacted(text)) + ".");
        }
        return new StoreUrl(text, matcher.group(1).toLowerCase(Locale.ROOT), matcher.group(2), null, null);
    }

    /** The same place, for this user. */
    public StoreUrl withUser(@Nullable String name, @Nullable String secret) {
        return new StoreUrl(text, scheme, rest, name, secret);
    }

    /** In lower case, without the colon at its end. */
    public String scheme() {
        return scheme;
    }

    /** The whole URL as it was given, with whatever secrets are in it. */
    public String text() {
        return text;
    }

    /** What follows the scheme and its colon. */
    public String rest() {
        return rest;
    }

    public Optional<String> user() {
        return Optional.ofNullable(user);
    }

    public Optional<String> password() {
        return Optional.ofNullable(password);
    }

    /** Whether the text itself has a password in it. */
    public boolean holdsSecret() {
        return !toString().equals(text);
    }

    /** The URL without passwords: for logs and messages. */
    @Override
    public String toString() {
        return redacted(text);
    }

    private static String redacted(String text) {
        return SECRET.matcher(text).replaceAll(found -> {
            String before = found.group(1) == null ? found.group(2) : found.group(1);
            return Matcher.quoteReplacement(before) + "***";
        });
    }
}
