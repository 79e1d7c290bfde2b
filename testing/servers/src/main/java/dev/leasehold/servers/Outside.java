package dev.leasehold.servers;

import java.util.Optional;

/** Servers that the environment names in place of the built-in ones. */
final class Outside {
    private Outside() {}

    /** @throws UnsupportedOperationException if there is one, and settings that we cannot make there */
    static Optional<String> url(String variable, Config config) {
        Optional<String> url = Optional.ofNullable(System.getenv(variable)).filter(text -> !text.isBlank());
        if (url.isPresent() && (config.hasMovableClock() || !config.settings().isEmpty())) {
            throw new UnsupportedOperationException("The server named by " + variable + " is not ours to start with "
                    + config + ". Unset " + variable + " to use a built-in one.");
        }
        return url;
    }
}
