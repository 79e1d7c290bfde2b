package dev.leasehold.spring.store;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.jdbc.JdbcLeaseStoreBuilder;
import dev.leasehold.spring.start.StartException;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.MissingSchemaException;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The application's own database as a store. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcLeaseStore.class, DataSource.class})
@ConditionalOnBean(DataSource.class)
class JdbcStoreConfiguration {
    @Bean
    StoreCandidate leaseholdJdbcCandidate(ObjectProvider<DataSource> sources, LeaseholdProperties properties) {
        return new StoreCandidate(StoreKind.JDBC, () -> open(only(sources), properties));
    }

    private static DataSource only(ObjectProvider<DataSource> sources) {
        DataSource source = sources.getIfUnique();
        if (source == null) {
            throw new StartException(
                    "The application has more than one DataSource, and Leasehold cannot know which one is for its tables.",
                    "Mark one of them as @Primary, set leasehold.store-url, or define a bean of type LeaseStore:"
                            + " JdbcLeaseStore.of(dataSource).",
                    null);
        }
        return source;
    }

    private static LeaseStore open(DataSource source, LeaseholdProperties properties) {
        if (Boolean.TRUE.equals(properties.createTables())) {
            JdbcLeaseStore.createSchema(source);
        }
        JdbcLeaseStoreBuilder builder = JdbcLeaseStore.builder(source).connections(properties.connections());
        try {
            return (properties.acceptLostCommits() ? builder.acceptingLostCommits() : builder).open();
        } catch (MissingSchemaException e) {
            throw MissingTables.explain(e, statements(source));
        }
    }

    private static @Nullable String statements(DataSource source) {
        try (Connection connection = source.getConnection()) {
            StoreUrl url = StoreUrl.of(connection.getMetaData().getURL());
            return Stores.provider(url).schema(url).orElse(null);
        } catch (SQLException | StoreException e) {
            return null; // The message names the script all the same.
        }
    }
}
