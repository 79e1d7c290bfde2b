package dev.leasehold.spring.observe;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether the store answers: one read of a key that nobody uses. In no group unless the application puts it there: if the store
 * is down, restarting every process that uses it helps nobody.
 */
final class LeaseStoreHealth extends AbstractHealthIndicator {
    private static final Key PROBE = Key.of("leasehold", "health");

    private final LeaseStore store;

    LeaseStoreHealth(LeaseStore store) {
        super("The lease store does not answer");
        this.store = store;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        var unused = store.find(PROBE);
        builder.up().withDetail("store", store.name());
    }
}
