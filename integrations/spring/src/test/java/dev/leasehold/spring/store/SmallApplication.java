package dev.leasehold.spring.store;

import dev.leasehold.lease.Lease;
import dev.leasehold.lease.Leases;
import dev.leasehold.spring.annotation.Locked;
import dev.leasehold.spring.annotation.RunOnce;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application on whatever is on its class path, with leases in memory. */
public final class SmallApplication {
    private SmallApplication() {}

    /** Starts it, has it work under a lease and once, and tells what happened. */
    public static String run() {
        SpringApplication application = new SpringApplicationBuilder(Parts.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "leasehold.store-url=memory:",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "spring.autoconfigure.exclude="
                                + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
                .build();
        application.setRegisterShutdownHook(false);
        try (ConfigurableApplicationContext context = application.run()) {
            Work work = context.getBean(Work.class);
            String first = work.locked();
            try (Lease other = context.getBean(Leases.class).tryAcquire("small").orElseThrow()) {
                String second = work.locked() == null && other.isValid() ? "skipped" : "not skipped";
                work.once();
                return first + ", " + second + ", " + work.once();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Parts {
        @Bean
        Work work() {
            return new Work();
        }
    }

    static class Work {
        private final AtomicInteger calls = new AtomicInteger();

        @Locked(key = "small")
        public String locked() {
            return "worked";
        }

        @RunOnce(key = "once")
        public String once() {
            return String.valueOf(calls.incrementAndGet());
        }
    }
}
