package dev.leasehold.spring.store;

import dev.leasehold.spring.start.StartException;
import java.util.UUID;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Applications for tests, and what they say if they do not start. */
final class Contexts {
    private Contexts() {}

    /** An application with nothing but the starter. */
    static ApplicationContextRunner plain() {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(StoreAutoConfiguration.class));
    }

    /** An application with an empty H2 database of its own. */
    static ApplicationContextRunner h2() {
        return plain().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    /** What a plain application with these properties says; empty if it starts. */
    static String failureOf(String... properties) {
        String[] said = {""};
        plain().withPropertyValues(properties).run(context -> said[0] = failure(context));
        return said[0];
    }

    /** What the failure analyzers of the starter say, as the application's user reads it; empty if it started. */
    static String failure(AssertableApplicationContext context) {
        Throwable failure = context.getStartupFailure();
        if (failure == null) {
            return "";
        }
        for (FailureAnalyzer analyzer :
                SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, (type, name, e) -> {})) {
            FailureAnalysis analysis = analyzer.analyze(failure);
            if (analysis != null && isOurs(analysis)) {
                return analysis.getDescription() + "\n" + analysis.getAction();
            }
        }
        throw new AssertionError("No failure analyzer of Leasehold's explains this.", failure);
    }

    private static boolean isOurs(FailureAnalysis analysis) {
        for (Throwable cause = analysis.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof StartException) {
                return true;
            }
        }
        return false;
    }
}
