package dev.leasehold.spring.store;

import dev.leasehold.jdbc.JdbcLeaseStore;
import liquibase.integration.spring.SpringLiquibase;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Creates the tables after Liquibase's changes, with Liquibase's user. Its change log is not touched. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcLeaseStore.class, SpringLiquibase.class})
@Conditional(OnOwnTables.class)
class LiquibaseTablesConfiguration {
    @Bean
    static BeanPostProcessor leaseholdTablesAfterLiquibase() {
        return new AfterChanges();
    }

    private static final class AfterChanges implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            // With a login of its own, Spring Boot has closed Liquibase's source by now.
            if (bean instanceof SpringLiquibase liquibase
                    && !bean.getClass().getSimpleName().startsWith("DataSourceClosing")) {
                JdbcLeaseStore.createSchema(liquibase.getDataSource());
            }
            return bean;
        }
    }
}
