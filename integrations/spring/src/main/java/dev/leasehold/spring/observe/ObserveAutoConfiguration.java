package dev.leasehold.spring.observe;

import dev.leasehold.lease.Leases;
import dev.leasehold.spring.store.StoreAutoConfiguration;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Subscription;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Meters, spans, log lines, health and the endpoint of the application's client, each if its library is there. */
@AutoConfiguration(
        after = StoreAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBean(Leases.class)
@EnableConfigurationProperties(ObserveProperties.class)
public class ObserveAutoConfiguration {
    ObserveAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockNames lockNames(ObserveProperties properties) {
        LockNames names = new LockNames(properties.mostNames());
        names.addAll(properties.names());
        return names;
    }

    /** Ends with the application, before the client does. */
    @Bean(name = StoreAutoConfiguration.LOG, destroyMethod = "close")
    Subscription leaseLog(Leases leases) {
        return leases.onEvent(new LeaseLog());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Meters {
        @Bean
        @ConditionalOnMissingBean
        LeaseMeters leaseMeters(Leases leases, LockNames names) {
            LeaseMeters meters = new LeaseMeters(names);
            var unused = leases.onEvent(meters); // Until the client is closed.
            return meters;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    static class Observations {
        @Bean
        @ConditionalOnMissingBean(Spans.class)
        Spans leaseSpans(ObservationRegistry registry) {
            return new ObservationSpans(registry);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class Endpoints {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(LeaseholdEndpoint.class)
        LeaseholdEndpoint leaseholdEndpoint(Leases leases) {
            return new LeaseholdEndpoint(leases);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("leasehold")
    static class HealthOfStore {
        @Bean
        @ConditionalOnMissingBean(name = "leaseholdHealthIndicator")
        @ConditionalOnBean(LeaseStore.class)
        HealthIndicator leaseholdHealthIndicator(LeaseStore store) {
            return new LeaseStoreHealth(store);
        }
    }
}
