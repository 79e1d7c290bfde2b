package dev.leasehold.cli;

import dev.leasehold.lease.Lease;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the command finds in its environment beside what we found in ours: which lease it works under. And what it does
 * not find there: the way into the store.
 */
final class ChildEnvironment {
    /** What LC_ALL was before the launcher changed it for the JVM. */
    private static final String LOCALE = "LEASEHOLD_LC_ALL";

    private ChildEnvironment() {}

    /** What to set, and, where there is no value, what to take out. */
    static Map<String, Optional<String>> of(Plan plan, @Nullable Lease lease) {
        Map<String, Optional<String>> changes = new LinkedHashMap<>();
        changes.put("LEASEHOLD_KEY", Optional.of(plan.key().value()));
        changes.put("LEASEHOLD_OWNER", Optional.of(plan.owner().label()));
        changes.put("LEASEHOLD_TTL", Optional.of(Long.toString(plan.ttl().toSeconds())));
        // Those of a run around this one must not be taken for ours.
        changes.put(
                "LEASEHOLD_FENCE",
                Optional.ofNullable(lease).map(held -> held.fence().toString()));
        changes.put("LEASEHOLD_RUN_ID", Optional.ofNullable(lease).map(Lease::id));
        changes.put(
                "LEASEHOLD_EXPIRES_AT",
                Optional.ofNullable(lease).map(held -> held.expiresAt().toString()));
        changes.put(StoreOptions.PASSWORD, Optional.empty());
        changes.put(StoreOptions.PASSWORD_FILE, Optional.empty());
        String url = System.getenv(StoreOptions.URL);
        if (url != null) {
            changes.put(StoreOptions.URL, Optional.of(StoreOptions.passedOn(url)));
        }
        String locale = System.getenv(LOCALE);
        if (locale != null) {
            changes.put("LC_ALL", Optional.of(locale).filter(set -> !set.isEmpty()));
            changes.put(LOCALE, Optional.empty());
        }
        return changes;
    }
}
