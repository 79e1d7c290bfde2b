package dev.leasehold.moc;

import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How one instance is set up.
 *
 * @param s3Endpoint a server for S3's protocol; null for Amazon's
 * @param accessKey null for the credentials that Amazon's library finds
 * @param openSearch null if search is off
 * @param lockTtl how long a finalize that went silent keeps its MOC locked
 * @param port 0 for any free one
 * @param issuer whose tokens tell who a user is; null if everyone is the development user
 * @param audience what those tokens must be for
 */
record Settings(
        String databaseUrl,
        String databaseUser,
        String databasePassword,
        @Nullable URI s3Endpoint,
        String s3Region,
        String bucket,
        @Nullable String accessKey,
        @Nullable String secretKey,
        @Nullable URI openSearch,
        String index,
        Duration lockTtl,
        int port,
        String address,
        @Nullable String issuer,
        @Nullable String audience) {
    static final String HELP = """
            Usage: run [--with-search] [--reindex]

            Keeps building instructions (MOCs): files in S3, rows in PostgreSQL. Finalizes each once.

              --with-search                 also start an OpenSearch node
              --reindex                     index all finalized MOCs, and end
              SPRING_DATASOURCE_URL, SPRING_DATASOURCE_USERNAME, SPRING_DATASOURCE_PASSWORD
                                            a PostgreSQL, in place of the one that run starts
              S3_ENDPOINT, S3_REGION, S3_BUCKET, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
                                            an S3, in place of the one that run starts;
                                            S3_ENDPOINT=aws is Amazon's
              OPENSEARCH_URL, OPENSEARCH_INDEX
                                            an OpenSearch; https://user:password@host:9200 is understood
              FINALIZE_LOCK_TTL_MINUTES     5: how long a finalize that went silent keeps its MOC locked
              PORT                          8080; 0 for any free one
              JWT_ISSUER, JWT_AUDIENCE      who issues the users' bearer tokens, and for whom
              ADDRESS                       with JWT_ISSUER: where to listen; 0.0.0.0

            Without JWT_ISSUER it listens on this machine only, and everyone is one development user.
            """;

    private static final Set<String> OPTIONS = Set.of("--reindex");
    private static final String LOOPBACK = "127.0.0.1";
    private static final BigDecimal SHORTEST_MINUTES = new BigDecimal("0.02");
    private static final BigDecimal LONGEST_MINUTES = new BigDecimal("1440");
    private static final BigDecimal MILLIS_IN_MINUTE = new BigDecimal(60_000);

    /**
     * Reads the command line and the environment.
     *
     * @throws IllegalArgumentException if one is wrong: says which, and what is right
     */
    static Settings of(List<String> arguments, Map<String, String> environment) {
        arguments.stream().filter(word -> !OPTIONS.contains(word)).findFirst().ifPresent(word -> {
            throw new IllegalArgumentException("\"" + word + "\" is not understood. --help lists what is.");
        });
        Map<String, String> given = new HashMap<>(environment);
        given.values().removeIf(String::isBlank);
        String issuer = given.get("JWT_ISSUER");
        if ((issuer == null) != (given.get("JWT_AUDIENCE") == null)) {
            throw new IllegalArgumentException("JWT_ISSUER and JWT_AUDIENCE belong together. Set both.");
        }
        if (issuer == null && given.containsKey("ADDRESS")) {
            throw new IllegalArgumentException("ADDRESS needs JWT_ISSUER: without it everyone is the same user.");
        }
        if ((given.get("AWS_ACCESS_KEY_ID") == null) != (given.get("AWS_SECRET_ACCESS_KEY") == null)) {
            throw new IllegalArgumentException(
                    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together. Set both.");
        }
        String s3 = needed(given, "S3_ENDPOINT");
        return new Settings(
                needed(given, "SPRING_DATASOURCE_URL"),
                given.getOrDefault("SPRING_DATASOURCE_USERNAME", ""),
                given.getOrDefault("SPRING_DATASOURCE_PASSWORD", ""),
                s3.equals("aws") ? null : uri("S3_ENDPOINT", s3),
                given.getOrDefault("S3_REGION", "us-east-1"),
                given.getOrDefault("S3_BUCKET", "mocs"),
                given.get("AWS_ACCESS_KEY_ID"),
                given.get("AWS_SECRET_ACCESS_KEY"),
                given.containsKey("OPENSEARCH_URL") ? uri("OPENSEARCH_URL", given.get("OPENSEARCH_URL")) : null,
                given.getOrDefault("OPENSEARCH_INDEX", "mocs"),
                minutes("FINALIZE_LOCK_TTL_MINUTES", given.getOrDefault("FINALIZE_LOCK_TTL_MINUTES", "5")),
                port(given.getOrDefault("PORT", "8080")),
                issuer == null ? LOOPBACK : given.getOrDefault("ADDRESS", "0.0.0.0"),
                issuer,
                given.get("JWT_AUDIENCE"));
    }

    private static String needed(Map<String, String> given, String name) {
        String value = given.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name
                    + " is not set. Set it, or start ./apps/moc-instructions/run, which starts servers of its own.");
        }
        return value;
    }

    private static URI uri(String name, @Nullable String text) {
        try {
            URI uri = URI.create(String.valueOf(text));
            if (uri.getHost() != null
                    && (uri.getScheme().equals("http") || uri.getScheme().equals("https"))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // Said below, without what may be a password.
        }
        throw new IllegalArgumentException(name + " is a URL such as http://localhost:9000.");
    }

    private static Duration minutes(String name, String text) {
        try {
            BigDecimal minutes = new BigDecimal(text.strip());
            if (minutes.compareTo(SHORTEST_MINUTES) >= 0 && minutes.compareTo(LONGEST_MINUTES) <= 0) {
                return Duration.ofMillis(minutes.multiply(MILLIS_IN_MINUTE).longValue());
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(name + " is a number of minutes from " + SHORTEST_MINUTES + " to "
                + LONGEST_MINUTES + ", not \"" + text + "\".");
    }

    private static int port(String text) {
        try {
            int port = Integer.parseInt(text.strip());
            if (port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException("PORT is a whole number from 0 to 65535, not \"" + text + "\".");
    }

    /** Without URLs and secrets. */
    @Override
    public String toString() {
        return "Settings[lockTtl=" + lockTtl + ", port=" + port + "]";
    }
}
