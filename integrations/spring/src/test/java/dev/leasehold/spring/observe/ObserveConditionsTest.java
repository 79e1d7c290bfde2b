package dev.leasehold.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.spring.http.HttpAutoConfiguration;
import dev.leasehold.spring.http.IdempotencyTenant;
import dev.leasehold.store.LeaseStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;

@DisplayName("What observes a client")
class ObserveConditionsTest {
    @Configuration(proxyBeanMethods = false)
    static class Store {
        @Bean
        LeaseStore store() {
            return new MemoryLeaseStore();
        }

        @Bean
        Leases leases(LeaseStore store) {
            return Leases.builder(store).withoutShutdownHook().build();
        }

        @Bean
        ObservationRegistry observations() {
            return ObservationRegistry.create();
        }
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ObserveAutoConfiguration.class, HttpAutoConfiguration.class))
            .withUserConfiguration(Store.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*", "management.endpoint.leasehold.access=READ_ONLY");

    @Test
    @DisplayName("is there with all libraries, but for requests in an application without a server")
    void all() {
        runner.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(LockNames.class)
                .hasSingleBean(LeaseMeters.class)
                .hasSingleBean(Spans.class)
                .hasSingleBean(LeaseholdEndpoint.class)
                .hasSingleBean(HealthIndicator.class)
                .doesNotHaveBean(IdempotencyTenant.class));
    }

    @Test
    @DisplayName("has no meters without Micrometer")
    void noMeters() {
        runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("leaseMeters")
                        .hasBean("lockNames"));
    }

    @Test
    @DisplayName("has no spans without observations, and none without a registry")
    void noSpans() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ObserveAutoConfiguration.class))
                .withBean(LeaseStore.class, MemoryLeaseStore::new)
                .withBean(Leases.class, () -> Leases.on(new MemoryLeaseStore()))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Spans.class));
    }

    @Test
    @DisplayName("has no endpoint without the actuator")
    void noEndpoint() {
        runner.withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdEndpoint"));
    }

    @Test
    @DisplayName("has no health without its library, and none if it is turned off")
    void noHealth() {
        runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdHealthIndicator"));
        runner.withPropertyValues("management.health.leasehold.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdHealthIndicator"));
    }

    @Test
    @DisplayName("has no requests without Spring MVC")
    void noMvc() {
        runner.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyTenant.class));
    }

    @Test
    @DisplayName("is not there without a client")
    void noClient() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(ObserveAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockNames.class));
    }
}
