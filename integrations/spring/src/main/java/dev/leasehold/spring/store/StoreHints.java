package dev.leasehold.spring.store;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep: the scripts of the stores, and the proxy behind {@code JdbcLeaseStore.inTransaction}. */
final class StoreHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("dev/leasehold/jdbc/*.sql");
        hints.resources().registerPattern("dev/leasehold/redis/*.lua");
        hints.resources().registerPattern("META-INF/services/dev.leasehold.store.StoreProvider");
        hints.proxies().registerJdkProxy(Connection.class);
    }
}
