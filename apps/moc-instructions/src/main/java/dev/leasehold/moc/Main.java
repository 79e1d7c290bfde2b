package dev.leasehold.moc;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Starts the application: {@code --reindex}, {@code --help}, and the settings in the environment. */
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    private Main() {}

    @SuppressWarnings("SystemOut") // The help, and mistakes in the settings, come before there is a log.
    public static void main(String[] arguments) {
        List<String> words = List.of(arguments);
        if (words.contains("--help")) {
            System.out.print(Settings.HELP);
            return;
        }
        try {
            ConfigurableApplicationContext context = start(Settings.of(words, System.getenv()));
            if (words.contains("--reindex")) {
                LOG.info("Indexed {} MOCs", context.getBean(Finalizer.class).reindex());
                context.close();
            }
        } catch (IllegalArgumentException e) {
            System.err.println("moc-instructions: " + e.getMessage());
            System.exit(64);
        }
    }

    /** Starts one instance. Closing the context ends it. */
    static ConfigurableApplicationContext start(Settings settings) {
        return start(settings, context -> {});
    }

    /** The same, after the context was given more beans. */
    static ConfigurableApplicationContext start(Settings settings, Consumer<GenericApplicationContext> more) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(Map.of(
                "spring.datasource.url", settings.databaseUrl(),
                "spring.datasource.username", settings.databaseUser(),
                "spring.datasource.password", settings.databasePassword()));
        application.addInitializers(context -> {
            GenericApplicationContext beans = (GenericApplicationContext) context;
            beans.registerBean(Settings.class, () -> settings);
            more.accept(beans);
        });
        // As arguments, so that nothing in the environment opens the port to others by accident.
        ConfigurableApplicationContext context =
                application.run("--server.port=" + settings.port(), "--server.address=" + settings.address());
        if (settings.openSearch() == null) {
            LOG.info("Search is off. Turn it on: ./apps/moc-instructions/run --with-search, or set OPENSEARCH_URL.");
        }
        LOG.atInfo()
                .addKeyValue("port", context.getEnvironment().getProperty("local.server.port"))
                .log(
                        "moc-instructions is listening on {}:{}{}",
                        settings.address(),
                        context.getEnvironment().getProperty("local.server.port"),
                        settings.issuer() != null
                                ? ""
                                : ", this machine only, and everyone is " + Users.DEVELOPER
                                        + ": set JWT_ISSUER to open it to others");
        return context;
    }
}
