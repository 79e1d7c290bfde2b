package dev.leasehold.redis;

import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;

/** The parts of a URL: {@code scheme://user:password@host:port,host:port/database?setting=value}. */
record RedisUrl(
        Set<HostAndPort> addresses,
        boolean isCluster,
        boolean isEncrypted,
        @Nullable String user,
        @Nullable String password,
        int database,
        Map<String, String> settings) {
    static final Set<String> SCHEMES = Set.of("redis", "rediss", "redis-cluster", "rediss-cluster");

    private static final Set<String> SETTINGS = Set.of("prefix", "accept");
    private static final int PORT = 6379;
    private static final int LAST_PORT = 65_535;
    private static final Pattern DATABASE = Pattern.compile("\\d{0,9}");
    private static final Pattern ADDRESS = Pattern.compile("(\\[[^]]+]|[^:]+)(?::(\\d{1,5}))?");

    static RedisUrl of(StoreUrl url) {
        StoreUrl.Address parts = url.address()
                .filter(found ->
                        SCHEMES.contains(url.scheme()) && !found.hosts().isEmpty())
                .filter(found -> DATABASE.matcher(found.path()).matches())
                .orElseThrow(() -> refused(
                        url,
                        "it should be like redis://user:password@host:6379/0, with %40 for an @ in a setting and %3F"
                                + " for a ? in a password"));
        boolean isCluster = url.scheme().endsWith("-cluster");
        String login = parts.login() == null ? "" : parts.login();
        int colon = login.indexOf(':');
        String user = decoded(url, colon < 0 ? login : login.substring(0, colon));
        String password = colon < 0 ? "" : decoded(url, login.substring(colon + 1));
        int database = parts.path().isEmpty() ? 0 : Integer.parseInt(parts.path());
        Set<HostAndPort> addresses = addresses(url, parts.hosts());
        if (isCluster ? database != 0 : addresses.size() > 1) {
            throw refused(url, "several hosts are for redis-cluster:, and a database for a single one");
        }
        return new RedisUrl(
                addresses,
                isCluster,
                url.scheme().startsWith("rediss"),
                url.user().orElse(user.isEmpty() ? null : user),
                url.password().orElse(password.isEmpty() ? null : password),
                database,
                settings(url, parts.settings()));
    }

    private static Set<HostAndPort> addresses(StoreUrl url, String hosts) {
        Set<HostAndPort> addresses = new LinkedHashSet<>();
        for (String host : hosts.split(",", -1)) {
            Matcher address = ADDRESS.matcher(host);
            if (!address.matches()) {
                throw refused(url, "a host is a name or an address, and a port if it is not " + PORT);
            }
            int port = address.group(2) == null ? PORT : Integer.parseInt(address.group(2));
            if (port < 1 || port > LAST_PORT) {
                throw refused(url, "a port is between 1 and " + LAST_PORT);
            }
            addresses.add(new HostAndPort(address.group(1).replaceAll("[\\[\\]]", ""), port));
        }
        return addresses;
    }

    private static Map<String, String> settings(StoreUrl url, String query) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String[] parts = setting.split("=", 2);
            if (parts.length < 2 || !SETTINGS.contains(parts[0])) {
                throw refused(url, "the settings are prefix=… and accept=eviction,lost-writes");
            }
            settings.put(parts[0], decoded(url, parts[1]));
        }
        return settings;
    }

    /** What the user accepts, by name. */
    Set<String> accepted() {
        return Set.copyOf(List.of(settings.getOrDefault("accept", "").split(",", -1)));
    }

    private static String decoded(StoreUrl url, String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Not kept as the cause, since it quotes the text.
            throw refused(url, "two hexadecimal digits follow each %; for the character itself write %25");
        }
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return addresses + "/" + database;
    }

    private static StoreException refused(StoreUrl url, String why) {
        return new StoreException("This is no URL of a Redis: " + why + ": " + url + ".");
    }
}
