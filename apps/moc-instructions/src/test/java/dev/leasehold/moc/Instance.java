package dev.leasehold.moc;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** An instance of the application in this JVM, on a free port. */
final class Instance implements AutoCloseable {
    final ConfigurableApplicationContext context;
    final Calls calls;

    private Instance(Map<String, String> environment, Consumer<GenericApplicationContext> more) {
        this.context = Main.start(Settings.of(List.of(), environment), more);
        this.calls = new Calls(port());
    }

    static Instance start(Map<String, String> environment) {
        return new Instance(environment, context -> {});
    }

    /** With beans of the test's. */
    static Instance start(Map<String, String> environment, Consumer<GenericApplicationContext> more) {
        return new Instance(environment, more);
    }

    int port() {
        return Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port")));
    }

    @Override
    public void close() {
        context.close();
    }
}
