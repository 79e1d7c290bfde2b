package dev.leasehold.analysis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How one instance is set up.
 *
 * @param store where the analyses are kept: a URL, or empty for the store that needs nothing installed
 * @param emulator a Firestore emulator's host and port
 * @param project the Google Cloud project that the environment names
 * @param lockTtl how long a dead worker keeps an analysis locked
 * @param isLockedSkipped whether a locked analysis is answered 200 and skipped, not 503 and sent again
 * @param port 0 for any free one
 * @param taskToken what callers of {@code /internal} must show
 */
record Settings(
        String store,
        @Nullable String storeUser,
        @Nullable String storePassword,
        @Nullable String emulator,
        @Nullable String project,
        Duration lockTtl,
        boolean isLockedSkipped,
        int port,
        @Nullable String taskToken,
        @Nullable Oidc oidc) {
    /** Whose identity tokens are accepted from callers of {@code /internal}. */
    record Oidc(String issuer, String audience, @Nullable String email) {}

    static final String HELP = """
            Usage: run [--store URL]

            Analyses texts, each once, however often its task is delivered.

              --store URL                   where analyses are kept; or LEASEHOLD_STORE
                                            firestore:PROJECT, jdbc:postgresql: jdbc:mariadb:
                                            jdbc:sqlite: jdbc:h2:
              FIRESTORE_EMULATOR_HOST, GOOGLE_CLOUD_PROJECT
                                            an emulator, in place of Google's service; a project,
                                            if no store is named. Without these, Leasehold's own
                                            Firestore server, not Google's, with the file
                                            analyses.firestore
              LEASEHOLD_STORE_USER, LEASEHOLD_STORE_PASSWORD
                                            for a database, if they are not in the URL
              PORT                          8080; 0 for any free one
              ANALYSIS_LOCK_TTL_SECONDS     300: how long a dead worker keeps an analysis locked
              ANALYSIS_LOCKED_ANSWER        503: the queue sends a locked task again; 200: it is skipped
              TASK_TOKEN                    callers of /internal send it as "Authorization: Bearer ..."
              TASK_OIDC_ISSUER, TASK_OIDC_AUDIENCE, TASK_OIDC_EMAIL
                                            or they send an identity token of this issuer, audience and account

            Without TASK_TOKEN or TASK_OIDC_ISSUER the worker listens on this machine only.
            """;

    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^\\s:/\\[\\]]+):\\d{1,5}");
    private static final String GOOGLE = "https://accounts.google.com";
    private static final int LONGEST_TTL_SECONDS = 86_400;

    /**
     * Reads the command line and the environment.
     *
     * @throws IllegalArgumentException if one is wrong: says which, and what is right
     */
    static Settings of(List<String> arguments, Map<String, String> environment) {
        Map<String, String> given = new HashMap<>(environment);
        given.values().removeIf(String::isBlank);
        for (Iterator<String> words = arguments.iterator(); words.hasNext(); ) {
            String word = words.next();
            if (word.startsWith("--store=")) {
                given.put("LEASEHOLD_STORE", word.substring("--store=".length()));
            } else if (word.equals("--store") && words.hasNext()) {
                given.put("LEASEHOLD_STORE", words.next());
            } else {
                throw new IllegalArgumentException("\"" + word + "\" is not understood. --help lists what is.");
            }
        }
        String answer = given.getOrDefault("ANALYSIS_LOCKED_ANSWER", "503");
        if (!answer.equals("503") && !answer.equals("200")) {
            throw new IllegalArgumentException("ANALYSIS_LOCKED_ANSWER is 503 or 200, not \"" + answer + "\".");
        }
        return new Settings(
                given.getOrDefault("LEASEHOLD_STORE", ""),
                given.get("LEASEHOLD_STORE_USER"),
                given.get("LEASEHOLD_STORE_PASSWORD"),
                emulator(given),
                given.get("GOOGLE_CLOUD_PROJECT"),
                Duration.ofSeconds(number(given, "ANALYSIS_LOCK_TTL_SECONDS", 300, 1, LONGEST_TTL_SECONDS)),
                answer.equals("200"),
                number(given, "PORT", 8080, 0, 65_535),
                stripped(given.get("TASK_TOKEN")),
                oidc(given));
    }

    /** As the token that a caller shows. */
    private static @Nullable String stripped(@Nullable String text) {
        return text == null ? null : text.strip();
    }

    private static @Nullable String emulator(Map<String, String> given) {
        String host = stripped(given.get("FIRESTORE_EMULATOR_HOST"));
        if (host == null || HOST_AND_PORT.matcher(host).matches()) {
            return host;
        }
        throw new IllegalArgumentException(
                "FIRESTORE_EMULATOR_HOST is a host and a port, such as 127.0.0.1:8081, not \"" + host + "\".");
    }

    private static @Nullable Oidc oidc(Map<String, String> given) {
        String issuer = given.get("TASK_OIDC_ISSUER");
        String audience = given.get("TASK_OIDC_AUDIENCE");
        String email = given.get("TASK_OIDC_EMAIL");
        if (issuer == null && audience == null && email == null) {
            return null;
        }
        if (issuer == null || audience == null) {
            throw new IllegalArgumentException("TASK_OIDC_ISSUER and TASK_OIDC_AUDIENCE belong together. Set both.");
        }
        if (issuer.equals(GOOGLE) && email == null) {
            throw new IllegalArgumentException("Anyone with a Google account can get a token of " + GOOGLE
                    + " for your audience. Set TASK_OIDC_EMAIL to the service account that delivers the tasks.");
        }
        return new Oidc(issuer, audience, email);
    }

    private static int number(Map<String, String> given, String name, int usual, int least, int most) {
        String text = given.get(name);
        try {
            int number = text == null ? usual : Integer.parseInt(text.strip());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(
                name + " is a whole number from " + least + " to " + most + ", not \"" + text + "\".");
    }

    /** Whether callers of {@code /internal} must show who they are. */
    boolean checksCallers() {
        return taskToken != null || oidc != null;
    }

    /** All addresses of this machine, or the loopback address alone if everybody may call everything. */
    String address() {
        return checksCallers() ? "0.0.0.0" : "127.0.0.1";
    }

    /** Without URL, token and password. */
    @Override
    public String toString() {
        return "Settings[lockTtl=" + lockTtl + ", port=" + port + "]";
    }
}
