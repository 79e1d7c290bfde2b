package dev.leasehold.spring.store;

import dev.leasehold.Leasehold;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Owner;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Makes the beans {@link LeaseStore}, {@link Leases} and {@link Leasehold}, as far as the application has none of its own.
 *
 * <p>Spring closes the client before the store, and both before the application's own DataSource. Work under a lease has
 * time to end before that.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@EnableConfigurationProperties(LeaseholdProperties.class)
@ImportRuntimeHints(StoreHints.class)
public class StoreAutoConfiguration {
    /** The bean that writes events into the application's log. */
    public static final String LOG = "leaseLog";

    StoreAutoConfiguration() {}

    /** Finds what the application has. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LeaseStore.class)
    @Import({
        JdbcStoreConfiguration.class,
        FlywayTablesConfiguration.class,
        LiquibaseTablesConfiguration.class,
        RedisStoreConfiguration.class,
        FirestoreStoreConfiguration.class
    })
    static class OwnStore {
        @Bean
        @DependsOnDatabaseInitialization
        LeaseStore leaseStore(LeaseholdProperties properties, ObjectProvider<StoreCandidate> candidates) {
            return new StoreChoice(properties, candidates.orderedStream().toList()).open();
        }
    }

    /** The application ends it, not the JVM: tasks that end in order are still under their leases. */
    @Bean
    @ConditionalOnMissingBean(Leases.class)
    LeasesFactory leases(LeaseStore store, LeaseholdProperties properties, ConfigurableListableBeanFactory beans) {
        LeasesBuilder builder = Leases.builder(store).withoutShutdownHook();
        if (beans.containsBeanDefinition(LOG) && !beans.getBeanDefinition(LOG).isLazyInit()) {
            builder.withoutLog(); // Else trouble would be logged twice.
        }
        if (properties.owner() != null) {
            builder.owner(Owner.of(properties.owner()));
        }
        if (properties.history() != null) {
            builder.keepingHistory(properties.history());
        }
        return new LeasesFactory(builder.build(), properties.shutdownGrace());
    }

    /** Closed with its client. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Leasehold leasehold(Leases leases) {
        return Leasehold.with(leases);
    }
}
