package dev.leasehold.spring.annotation;

import dev.leasehold.spring.store.StoreAutoConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An application that does its work once, in a transaction, and dies at a given moment of it. */
final class Crash {
    enum Moment {
        BEFORE_COMMIT,
        AFTER_COMMIT,
        NEVER
    }

    static final int EXIT_CODE = 43;

    private Crash() {}

    /** Gives the answer to the standard output, unless it dies before. */
    public static void main(String[] arguments) {
        System.out.println(run(Moment.valueOf(arguments[0]), arguments[1], arguments[2], arguments[3]));
    }

    static String run(Moment moment, String url, String user, String password) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Parts.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=" + user,
                        "spring.datasource.password=" + password,
                        "leasehold.create-tables=true",
                        "leasehold.ttl=1s")
                .run()) {
            return context.getBean(Work.class).once(moment);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        StoreAutoConfiguration.class,
        AnnotationAutoConfiguration.class
    })
    static class Parts {
        @Bean
        Work work(JdbcTemplate jdbc) {
            return new Work(jdbc);
        }
    }

    static class Work {
        private final JdbcTemplate jdbc;

        Work(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @RunOnce(key = "crash", waitFor = "30s")
        @Transactional
        public String once(Moment moment) {
            jdbc.update("INSERT INTO effects VALUES (1)");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCompletion() {
                    dieAt(Moment.BEFORE_COMMIT, moment);
                }

                @Override
                public void afterCommit() {
                    dieAt(Moment.AFTER_COMMIT, moment);
                }
            });
            return "the answer";
        }

        private static void dieAt(Moment now, Moment wanted) {
            if (now == wanted) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        }
    }
}
