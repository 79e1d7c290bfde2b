package dev.leasehold.spring.store;

import dev.leasehold.redis.RedisLeaseStore;
import dev.leasehold.spring.start.StartException;
import dev.leasehold.store.Stores;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The application's own Redis as a store, on connections of the store's own: the application's client is not used. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisLeaseStore.class, RedisConnectionFactory.class})
@ConditionalOnBean(RedisConnectionFactory.class)
class RedisStoreConfiguration {
    @Bean
    StoreCandidate leaseholdRedisCandidate(ObjectProvider<RedisConnectionFactory> factories) {
        return new StoreCandidate(StoreKind.REDIS, () -> Stores.open(RedisAddress.of(only(factories))));
    }

    private static RedisConnectionFactory only(ObjectProvider<RedisConnectionFactory> factories) {
        RedisConnectionFactory factory = factories.getIfUnique();
        if (factory == null) {
            throw new StartException(
                    "The application has more than one RedisConnectionFactory, and Leasehold cannot know which one is for"
                            + " leases.",
                    "Mark one of them as @Primary, or set leasehold.store-url.",
                    null);
        }
        return factory;
    }
}
