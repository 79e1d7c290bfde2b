package dev.leasehold.analysis;

import dev.leasehold.lease.Clockwork;
import java.time.Duration;
import org.springframework.context.ConfigurableApplicationContext;

/** An instance of the application in this JVM, on a free port. */
final class Instance implements AutoCloseable {
    final ConfigurableApplicationContext context;
    final Calls calls;

    private Instance(Settings settings, Parts parts) {
        this.context = Main.start(settings, parts);
        this.calls = new Calls(
                Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))));
    }

    static Instance start(Settings settings) {
        return new Instance(settings, Parts.USUAL);
    }

    static Instance start(Settings settings, Analyser analyser) {
        return start(settings, analyser, Parts.USUAL.clockwork());
    }

    static Instance start(Settings settings, Analyser analyser, Clockwork clockwork) {
        return new Instance(settings, new Parts(analyser, clockwork, Duration.ofSeconds(1)));
    }

    /** The three functions of ANALYSIS-11, as code in the same process calls them. */
    AnalysisLocks locks() {
        return context.getBean(AnalysisLocks.class);
    }

    @Override
    public void close() {
        context.close();
    }
}
