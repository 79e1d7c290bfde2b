package dev.leasehold.moc;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.jdbc.RowLeaseStore;
import dev.leasehold.lease.Leases;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;

/** Leases and runs on the rows of {@code moc_instructions}. Spring closes what is made here. */
@Configuration(proxyBeanMethods = false)
class LeaseholdConfiguration {
    /** Compares the mapping with the table, so the migrations come first. */
    @Bean
    @DependsOn("flywayInitializer")
    RowLeaseStore leaseStore(DataSource source, Settings settings) {
        return JdbcLeaseStore.builder(source).onRows(Moc.mapping(settings.lockTtl()));
    }

    @Bean
    Leases leases(RowLeaseStore store) {
        return Leases.builder(store).withoutShutdownHook().build();
    }

    @Bean(destroyMethod = "") // The leases are closed above.
    Leasehold leasehold(Leases leases) {
        return Leasehold.with(leases);
    }
}
