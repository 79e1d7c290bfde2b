package dev.leasehold.spring.annotation;

import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.spring.start.StartException;
import dev.leasehold.spring.store.StoreAutoConfiguration;
import dev.leasehold.store.LeaseStore;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Applications with annotated beans. */
final class Application {
    private Application() {}

    static ApplicationContextRunner plain() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        StoreAutoConfiguration.class,
                        AnnotationAutoConfiguration.class,
                        AopAutoConfiguration.class,
                        PropertyPlaceholderAutoConfiguration.class));
    }

    static ApplicationContextRunner inMemory() {
        return plain().withBean(LeaseStore.class, MemoryLeaseStore::new);
    }

    /** What the person who starts it reads; empty if it started. */
    static String failure(AssertableApplicationContext context) {
        for (Throwable cause = context.getStartupFailure(); cause != null; cause = cause.getCause()) {
            if (cause instanceof StartException problem) {
                return problem.problem() + " " + problem.remedy();
            }
        }
        if (context.getStartupFailure() != null) {
            throw new AssertionError("The failure is not explained.", context.getStartupFailure());
        }
        return "";
    }
}
