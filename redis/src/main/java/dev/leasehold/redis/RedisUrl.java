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
    private static final Pattern SHAPE =
            Pattern.compile("//(?:([^@]*)@)?([^/?@]+)(?:/(\\d{0,9}))?/?(?:\\?(.*))?", Pattern.DOTALL);
    private static final Pattern ADDRESS = Pattern.compile("(\\[[^]]+]|[^:]+)(?::(\\d{1,5}))?");

    static RedisUrl of(StoreUrl url) {
        Matcher shape = SHAPE.matcher(url.rest());
        boolean isCluster = url.scheme().endsWith("-cluster");
        if (!SCHEMES.contains(url.scheme()) || !shape.matches()) {
            throw refused(url, "it should be like redis://user:password@host:6379/0");
        }
        String login = shape.group(1);
        int colon = login == null ? -1 : login.indexOf(':');
        String user = login == null ? "" : decoded(colon < 0 ? login : login.substring(0, colon));
        String password = login == null || colon < 0 ? "" : decoded(login.substring(colon + 1));
        String number = shape.group(3);
        int database = number == null || number.isEmpty() ? 0 : Integer.parseInt(number);
        Set<HostAndPort> addresses = addresses(url, shape.group(2));
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
                settings(url, shape.group(4)));
    }

    private static Set<HostAndPort> addresses(StoreUrl url, String hosts) {
        Set<HostAndPort> addresses = new LinkedHashSet<>();
        for (String host : hosts.split(",", -1)) {
            Matcher address = ADDRESS.matcher(host);
            if (!address.matches()) {
                throw refused(url, "a host is a name or an address, and a port if it is not " + PORT);
            }
            String port = address.group(2);
            addresses.add(new HostAndPort(
                    address.group(1).replaceAll("[\\[\\]]", ""), port == null ? PORT : Integer.parseInt(port)));
        }
        return addresses;
    }

    private static Map<String, String> settings(StoreUrl url, @Nullable String query) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String setting : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
            String[] parts = setting.split("=", 2);
            if (parts.length < 2 || !SETTINGS.contains(parts[0])) {
                throw refused(url, "the settings are prefix=… and accept=eviction,lost-writes");
            }
            settings.put(parts[0], decoded(parts[1]));
        }
        return settings;
    }

    /** What the user accepts, by name. */
    Set<String> accepted() {
        return Set.copyOf(List.of(settings.getOrDefault("accept", "").split(",", -1)));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static StoreException refused(StoreUrl url, String why) {
        return new StoreException("This is no URL of a Redis: " + why + ": " + url + ".");
    }
}
