package dev.leasehold.analysis;

import dev.leasehold.store.StoreException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Starts the analysis worker: {@code --store URL}, {@code --help}, and the settings in the environment. */
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    @SuppressWarnings("SystemOut") // The help, and mistakes in the settings or the store, come before there is a log.
    public static void main(String[] arguments) {
        if (List.of(arguments).contains("--help")) {
            System.out.print(Settings.HELP);
            return;
        }
        try {
            start(Settings.of(List.of(arguments), System.getenv()), Parts.USUAL);
        } catch (IllegalArgumentException e) {
            System.err.println("analysis-worker: " + e.getMessage());
            System.exit(64);
        } catch (StoreException e) {
            System.err.println("analysis-worker: " + e.getMessage());
            System.exit(69);
        }
    }

    /**
     * Starts one instance. Closing the context ends it.
     *
     * @throws StoreException if the store cannot be opened
     */
    static ConfigurableApplicationContext start(Settings settings, Parts parts) {
        SpringApplication application = new SpringApplication(Worker.class);
        application.addInitializers(context -> {
            // Before there are beans, so that a mistake in the store is told as such; after the log has been set up.
            AnalysisStore store = AnalysisStores.open(settings);
            LOG.info("Analyses are kept in {}", store.description());
            GenericApplicationContext beans = (GenericApplicationContext) context;
            beans.registerBean(Settings.class, () -> settings);
            beans.registerBean(Parts.class, () -> parts);
            beans.registerBean(AnalysisStore.class, () -> store);
        });
        // As arguments, so that nothing in the environment opens the port to others by accident.
        ConfigurableApplicationContext context =
                application.run("--server.port=" + settings.port(), "--server.address=" + settings.address());
        LOG.atInfo()
                .addKeyValue("port", context.getEnvironment().getProperty("local.server.port"))
                .log(
                        "analysis-worker is listening on {}:{}{}",
                        settings.address(),
                        context.getEnvironment().getProperty("local.server.port"),
                        settings.checksCallers() ? "" : ", this machine only: set TASK_TOKEN to open it to others");
        return context;
    }
}
