package dev.leasehold.store;

import java.util.List;
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

    private final String text;
    private final String scheme;
    private final String rest;
    private final @Nullable String user;
    private final @Nullable String password;
    private final UrlReading reading;

    /**
     * The parts of a URL like {@code scheme://login@hosts/path?settings}, as they stand there. Parts that are missing are
     * empty.
     *
     * @param login user and password, with a colon in between; null if there is none
     * @param hosts one or more, each with or without a port, with commas in between
     */
    public record Address(@Nullable String login, String hosts, String path, String settings) {
        /** Without the login. */
        @Override
        public String toString() {
            return hosts + "/" + path;
        }
    }

    private StoreUrl(String text, String scheme, String rest, @Nullable String user, @Nullable String password) {
        this.text = text;
        this.scheme = scheme;
        this.rest = rest;
        this.user = user;
        this.password = password;
        this.reading = UrlReading.of(scheme, rest);
    }

    /**
     * Reads a URL. Of one that begins with {@code jdbc:}, the scheme goes up to the second colon.
     *
     * @throws StoreException if there is no scheme
     */
    public static StoreUrl of(String text) {
        Matcher matcher = SHAPE.matcher(text);
        if (!matcher.matches()) {
            // The text is not quoted, since a part of it may be a password.
            throw new StoreException("A store's URL begins with a scheme and a colon, such as file:/var/lib/leases.");
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

    /** The parts of a URL that names a server; empty if this one does not, or is not understood. */
    public Optional<Address> address() {
        return Optional.ofNullable(reading.address());
    }

    /**
     * The parts of the text that are secret, or may be. They must not be seen in messages, and neither must pieces of
     * them: a driver may read the URL in another way than its user meant it.
     */
    public List<String> secrets() {
        return List.copyOf(reading.secrets());
    }

    /** Whether the text itself has a password in it, or may have one. */
    public boolean holdsSecret() {
        return !reading.secrets().isEmpty();
    }

    /** The URL without passwords, for logs and messages. Of a URL that is not understood, only the scheme is shown. */
    @Override
    public String toString() {
        return text.substring(0, text.length() - rest.length()) + reading.shown();
    }
}
