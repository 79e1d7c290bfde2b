package dev.leasehold.spring.store;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Stores;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Makes the beans {@link LeaseStore}, {@link Leases} and {@link Leasehold}, as far as the application has none of its own. */
@AutoConfiguration
@EnableConfigurationProperties(LeaseholdProperties.class)
public class StoreAutoConfiguration {
    StoreAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LeaseStore leaseStore(LeaseholdProperties properties) {
        return Stores.open(String.valueOf(properties.storeUrl()));
    }

    /** Spring closes it at the end of the process, after the tasks of the application. */
    @Bean
    @ConditionalOnMissingBean
    Leases leases(LeaseStore store) {
        return Leases.builder(store).withoutShutdownHook().build();
    }

    @Bean
    @ConditionalOnMissingBean
    Leasehold leasehold(Leases leases) {
        return Leasehold.with(leases);
    }
}
