package dev.leasehold.spring.annotation;

import dev.leasehold.jdbc.JdbcLeaseStore;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.spring.observe.LockNames;
import dev.leasehold.spring.observe.Spans;
import dev.leasehold.spring.store.LeaseholdProperties;
import dev.leasehold.spring.store.StoreAutoConfiguration;
import dev.leasehold.store.LeaseStore;
import java.lang.annotation.Annotation;
import javax.sql.DataSource;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Puts leases around methods with {@link Locked} and {@link RunOnce}. From the outside: security and the like, the lease, the
 * transaction, the answer of a run.
 */
@AutoConfiguration(
        after = StoreAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.aop.AopAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
        })
@Import(AnnotationAutoConfiguration.ProxyCreator.class)
public class AnnotationAutoConfiguration {
    /** Outside the transaction, which has the lowest precedence. */
    private static final int OUTSIDE = Ordered.LOWEST_PRECEDENCE - 100;

    /** Of the same precedence as the transaction, and after it, because auto-configuration comes after it. */
    private static final int INSIDE = Ordered.LOWEST_PRECEDENCE;

    AnnotationAutoConfiguration() {}

    private static DefaultPointcutAdvisor advisor(Class<? extends Annotation> annotation, Advice advice, int order) {
        AnnotationMatchingPointcut pointcut = new AnnotationMatchingPointcut(null, annotation, true);
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, advice);
        advisor.setOrder(order);
        return advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotatedMethods leaseholdMethods(
            ConfigurableBeanFactory beans,
            ObjectProvider<LeaseholdProperties> properties,
            ObjectProvider<LockNames> names) {
        return new AnnotatedMethods(
                beans,
                () -> {
                    LeaseholdProperties present = properties.getIfAvailable();
                    return present == null ? LeaseOptions.DEFAULT_TTL : present.ttl();
                },
                template -> names.ifAvailable(known -> known.add(template)));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static AnnotatedBeans leaseholdAnnotatedBeans(AnnotatedMethods methods) {
        return new AnnotatedBeans(methods);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor leaseholdLocked(
            AnnotatedMethods methods,
            ObjectProvider<Leases> leases,
            ObjectProvider<Spans> spans,
            ObjectProvider<LockNames> names) {
        return advisor(
                Locked.class,
                new LockedInterceptor(methods, SingletonSupplier.of(leases::getObject), Observing.of(spans, names)),
                OUTSIDE);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor leaseholdRunOnce(
            AnnotatedMethods methods,
            ObjectProvider<Leases> leases,
            ObjectProvider<Spans> spans,
            ObjectProvider<LockNames> names) {
        return advisor(
                RunOnce.class,
                new RunOnceInterceptor(methods, SingletonSupplier.of(leases::getObject), Observing.of(spans, names)),
                OUTSIDE);
    }

    /** For leases in the database of the application's transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JdbcLeaseStore.class, ConnectionHolder.class, TransactionSynchronizationManager.class})
    static class InTransaction {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor leaseholdAnswer(
                ObjectProvider<LeaseStore> stores,
                ObjectProvider<DataSource> sources,
                ObjectProvider<LeaseholdProperties> properties) {
            return advisor(
                    RunOnce.class,
                    new SettlingInterceptor(SingletonSupplier.ofNullable(
                            () -> database(stores.getObject(), sources.getIfUnique(), properties.getIfAvailable()))),
                    INSIDE);
        }

        private static @Nullable LeasesInDatabase database(
                LeaseStore store, @Nullable DataSource source, @Nullable LeaseholdProperties properties) {
            boolean isElsewhere = properties != null
                    && properties.storeUrl() != null
                    && !properties.storeUrl().isBlank();
            return store instanceof JdbcLeaseStore rows && source != null && !isElsewhere
                    ? new LeasesInDatabase(rows, source)
                    : null;
        }
    }

    /** Makes proxies also in an application without transactions or aspects. */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            var unused = AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
