package dev.leasehold.spring.store;

import dev.leasehold.jdbc.JdbcLeaseStore;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** Creates the tables after Flyway's migrations, with Flyway's user. Its history of migrations is not touched. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcLeaseStore.class, Callback.class})
@Conditional(OnOwnTables.class)
class FlywayTablesConfiguration {
    @Bean
    Callback leaseholdTables() {
        return new AfterMigration();
    }

    private static final class AfterMigration implements Callback {
        @Override
        public boolean supports(Event event, Context context) {
            return event == Event.AFTER_MIGRATE;
        }

        @Override
        public boolean canHandleInTransaction(Event event, Context context) {
            return false; // The tables are made on a connection of their own.
        }

        @Override
        public void handle(Event event, Context context) {
            JdbcLeaseStore.createSchema(context.getConfiguration().getDataSource());
        }

        @Override
        public String getCallbackName() {
            return "leasehold";
        }
    }
}
