package dev.leasehold.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells the secrets of a URL from the rest. It shows only what it recognises: a password may contain any character, also
 * those that separate the parts of a URL, so whatever does not fit the shape of such URLs may be a part of one.
 *
 * @param shown the rest of the URL without its secrets
 * @param secrets all parts that are left out, as they stand in the URL
 * @param address what the URL says about a server; null if it names none, or is not understood
 */
record UrlReading(String shown, List<String> secrets, StoreUrl.@Nullable Address address) {
    private static final String HIDDEN = "***";
    private static final String NOT_UNDERSTOOD = "…";

    /** Schemes of which the rest is a path. */
    private static final Set<String> PATHS = Set.of("file", "sqlite", "memory");

    private static final String HOST =
            "(?:\\[[0-9A-Fa-f:.]+(?:%[\\p{L}\\p{N}._~-]+)?]|[\\p{L}\\p{N}._-]+)(?::\\d{1,5})?";
    private static final String NAME = "[A-Za-z][A-Za-z0-9_.]*";
    private static final String SETTING = NAME + "=[^&]*";
    private static final String SECRET_WORD = "(?i:pass|pwd|secret|token|credential|apikey|accesskey|privatekey)";

    /** The user of some databases is like {@code name@server}. */
    private static final String SETTING_WITHOUT_AT = "(?:(?i:user)=[^&/:?]*|" + NAME + "=[^&@]*)";

    private static final String PASSWORD_TO_THE_END = "[A-Za-z0-9_.]*" + SECRET_WORD + "[A-Za-z0-9_.]*=.*";

    /** An {@code @} in the settings belongs to them. */
    private static final Pattern WITHOUT_LOGIN =
            shape("()", "(?:" + SETTING_WITHOUT_AT + "&)*(?:" + SETTING_WITHOUT_AT + "|" + PASSWORD_TO_THE_END + ")");

    /** A driver takes what stands before the first setting for hosts and a path, whatever follows. */
    private static final Pattern AT_IN_SETTING = shape("()", NAME + "=.*");

    private static final Pattern SHAPE = shape("(?:(.*?)@)?", SETTING + "(?:&" + SETTING + ")*");

    /** A database on the driver's default host. */
    private static final Pattern NAME_ONLY = Pattern.compile("([\\p{L}\\p{N}_.$~%+-]*)(?:\\?(.*))?", Pattern.DOTALL);

    private static final Pattern PLAIN_USER = Pattern.compile("[\\p{L}\\p{N}_.%-]*");
    private static final Pattern PLAIN_VALUE = Pattern.compile("[A-Za-z0-9_.-]*");
    private static final Pattern PLAIN_NAME = Pattern.compile(NAME);
    private static final Pattern SECRET_NAME = Pattern.compile(SECRET_WORD + "|^(?i:key|hexkey)$");
    private static final Pattern SECRET_IN_VALUE = Pattern.compile(SECRET_WORD);

    /** Before a host. A path such as {@code ///home/me@corp} has none. */
    private static final Pattern LOGIN_IN_PATH = Pattern.compile("(?:^|:)//[^/].*@", Pattern.DOTALL);

    private static final Pattern SECRET_IN_PATH = Pattern.compile(SECRET_WORD + "[^=/]*=|[?&;](?i:key|hexkey)=");

    /** Settings that are recognised behind a password, which may contain a separator and so look like settings. */
    private static final Set<String> PLAIN_SETTINGS = Set.of("user", "ssl", "sslmode", "usessl", "mode");

    private static final Set<String> SECRET_SETTINGS =
            Set.of("password", "sslpassword", "truststorepassword", "keystorepassword", "keypassword");

    private static Pattern shape(String login, String settings) {
        String hosts = "((?:" + HOST + "(?:," + HOST + ")*)?)";
        String path = "(?:/([\\p{L}\\p{N}_.$~%+ -]*)/?)?";
        return Pattern.compile(
                "((?:[a-z]+:)?//)" + login + hosts + path + "(?:\\?(" + settings + ")?)?", Pattern.DOTALL);
    }

    static UrlReading of(String scheme, String rest) {
        @Nullable UrlReading reading = null;
        if (rest.isEmpty()) {
            reading = new UrlReading("", List.of(), null);
        } else if (PATHS.contains(scheme)) {
            reading = path(rest);
        } else if (scheme.equals("worker-lock")) {
            reading = inner(rest);
        } else if (scheme.equals("jdbc:h2")) {
            reading = withSettings(rest, ";");
        } else if (scheme.equals("jdbc:sqlite") || scheme.equals("firestore")) {
            reading = withSettings(rest, "&");
        } else {
            reading = network(scheme, rest);
        }
        return reading == null ? new UrlReading(NOT_UNDERSTOOD, List.of(rest), null) : reading;
    }

    private static @Nullable UrlReading path(String rest) {
        boolean mayHoldSecret = LOGIN_IN_PATH.matcher(rest).find()
                || SECRET_IN_PATH.matcher(rest).find();
        return mayHoldSecret ? null : new UrlReading(rest, List.of(), null);
    }

    private static @Nullable UrlReading inner(String rest) {
        try {
            StoreUrl url = StoreUrl.of(rest);
            return new UrlReading(url.toString(), url.secrets(), url.address().orElse(null));
        } catch (StoreException e) {
            return null;
        }
    }

    /** A path or a name, and settings behind it. */
    private static @Nullable UrlReading withSettings(String rest, String separator) {
        int end = rest.indexOf(separator.equals(";") ? ';' : '?');
        UrlReading head = path(end < 0 ? rest : rest.substring(0, end));
        if (head == null || end < 0) {
            return head;
        }
        List<String> secrets = new ArrayList<>();
        String settings = settings(rest.substring(end + 1), separator, secrets);
        return settings == null ? null : new UrlReading(rest.substring(0, end + 1) + settings, secrets, null);
    }

    private static @Nullable UrlReading network(String scheme, String rest) {
        boolean isJdbc = scheme.startsWith("jdbc:");
        Matcher name = NAME_ONLY.matcher(rest);
        if (isJdbc && name.matches()) {
            return withSettings(rest, "&");
        }
        Matcher shape = WITHOUT_LOGIN.matcher(rest);
        if (!isJdbc || !shape.matches()) {
            Matcher plain = AT_IN_SETTING.matcher(rest);
            if (plain.matches() && rest.contains("@")) {
                // A person may have meant all that stands before the @ as a login, so nothing is shown. What a driver
                // will do is known; a store of ours refuses.
                StoreUrl.@Nullable Address address = isJdbc
                        ? new StoreUrl.Address(null, plain.group(3), text(plain.group(4)), text(plain.group(5)))
                        : null;
                return new UrlReading(NOT_UNDERSTOOD, List.of(rest), address);
            }
            shape = SHAPE.matcher(rest);
            if (!shape.matches()) {
                return null;
            }
        }
        List<String> secrets = new ArrayList<>();
        String login = shape.group(2);
        String settings = shape.group(5);
        String shownSettings = settings == null ? "" : settings(settings, "&", secrets);
        if (shownSettings == null) {
            return null;
        }
        String shownLogin = login == null || login.isEmpty() ? "" : login(login, secrets) + "@";
        String behind = rest.substring(shape.start(3), settings == null ? rest.length() : shape.start(5));
        return new UrlReading(
                shape.group(1) + shownLogin + behind + shownSettings,
                secrets,
                new StoreUrl.Address(login, shape.group(3), text(shape.group(4)), text(settings)));
    }

    private static String text(@Nullable String part) {
        return part == null ? "" : part;
    }

    /** What stands before the host. Without a colon, it may be a user or a password. */
    private static String login(String login, List<String> secrets) {
        int colon = login.indexOf(':');
        boolean isUserPlain =
                colon >= 0 && PLAIN_USER.matcher(login.substring(0, colon)).matches();
        if (isUserPlain && colon == login.length() - 1) {
            return login;
        }
        secrets.add(isUserPlain ? login.substring(colon + 1) : login);
        return isUserPlain ? login.substring(0, colon + 1) + HIDDEN : HIDDEN;
    }

    /** Null if these cannot be settings. */
    private static @Nullable String settings(String text, String separator, List<String> secrets) {
        List<String> shown = new ArrayList<>();
        boolean isBehindSecret = false;
        for (String setting : text.split(separator, -1)) {
            int equals = setting.indexOf('=');
            String name = setting.substring(0, Math.max(0, equals));
            String value = setting.substring(equals + 1);
            if (isBehindSecret) {
                shown.add(behindSecret(setting, name, value, secrets));
            } else if (setting.isEmpty()) {
                shown.add("");
            } else if (!PLAIN_NAME.matcher(name).matches()) {
                return null;
            } else if (isSecret(name, value)) {
                shown.add(value.isEmpty() ? setting : hidden(name, value, secrets));
                isBehindSecret = true;
            } else if (value.contains("@") && !name.equalsIgnoreCase("user")) {
                return null; // The whole may have been meant as a login with a password in front of a host.
            } else {
                shown.add(setting);
            }
        }
        return String.join(separator, shown);
    }

    /**
     * A secret may be empty: what follows may still be the rest of one that begins with a separator. The statements that H2
     * runs first may make a user with a password.
     */
    private static boolean isSecret(String name, String value) {
        boolean hasSecretName = SECRET_NAME.matcher(name).find();
        boolean isInit = name.equalsIgnoreCase("init");
        return hasSecretName || (isInit && SECRET_IN_VALUE.matcher(value).find());
    }

    private static String behindSecret(String setting, String name, String value, List<String> secrets) {
        String known = name.toLowerCase(Locale.ROOT);
        if (PLAIN_SETTINGS.contains(known) && PLAIN_VALUE.matcher(value).matches()) {
            return setting;
        }
        if (SECRET_SETTINGS.contains(known)) {
            return hidden(name, value, secrets);
        }
        if (!setting.isEmpty()) {
            secrets.add(setting);
        }
        return NOT_UNDERSTOOD;
    }

    private static String hidden(String name, String value, List<String> secrets) {
        if (!value.isEmpty()) {
            secrets.add(value);
        }
        return name + "=" + HIDDEN;
    }
}
