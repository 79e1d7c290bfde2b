package dev.leasehold.cli;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which store a command works on: {@code --store}, or the environment, or the default. For every command that needs one. */
final class StoreOptions {
    static final String URL = "LEASEHOLD_STORE";
    static final String USER = "LEASEHOLD_STORE_USER";
    static final String PASSWORD = "LEASEHOLD_STORE_PASSWORD";
    static final String PASSWORD_FILE = "LEASEHOLD_STORE_PASSWORD_FILE";

    /** Stands in {@link #URL} before a URL that is not passed on to a command, because it may hold a password. */
    private static final String WITHHELD = "withheld:";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(names = "--store", paramLabel = "URL", descriptionKey = "store")
    private @Nullable String store;

    @Option(
            names = "--store-timeout",
            paramLabel = "TIME",
            descriptionKey = "store-timeout",
            defaultValue = "${env:LEASEHOLD_STORE_TIMEOUT:-120}",
            converter = Durations.class)
    private Duration timeout = Duration.ZERO;

    /** A store that has not answered for this long counts as unreachable. */
    Duration timeout() {
        return timeout;
    }

    /** Where the store is. Nothing is opened yet. */
    StoreUrl url() {
        String given = given();
        return given.isBlank() ? DefaultStore.url() : StoreUrl.of(given).withUser(System.getenv(USER), password());
    }

    private String given() {
        String set = store != null ? store : System.getenv(URL);
        if (set != null && spec != null && set.startsWith(WITHHELD)) {
            throw new ParameterException(
                    spec.commandLine(), Messages.text("store.withheld", URL, set.substring(WITHHELD.length())));
        }
        return set == null ? "" : set;
    }

    /**
     * Returns what a command finds in {@link #URL} in place of this URL. If the URL may hold a password, that is a text
     * which every command of ours refuses: without any, a command inside the command would use the default store.
     */
    static String passedOn(String url) {
        if (url.isBlank() || url.startsWith(WITHHELD)) {
            return url;
        }
        try {
            StoreUrl read = StoreUrl.of(url);
            return read.holdsSecret() ? WITHHELD + read : url;
        } catch (StoreException e) {
            return WITHHELD + "…";
        }
    }

    /**
     * The same as {@link #open}, but waits only so long.
     *
     * @throws dev.leasehold.store.StoreUnavailableException if it does not answer in time
     */
    LeaseStore openInTime() throws InterruptedException {
        return Soon.get(this::open, timeout);
    }

    /** Opens the store; the default one is made if it is not there. The caller closes it. */
    LeaseStore open() {
        StoreUrl url = url();
        if (isDefault()) {
            DefaultStore.prepare(url);
        }
        return Stores.open(url);
    }

    /** Makes what the store needs, as far as it is not there. */
    void createSchema() {
        StoreUrl url = url();
        if (isDefault()) {
            DefaultStore.prepare(url);
        }
        Stores.createSchema(url);
    }

    /** Whether nobody said which store. */
    boolean isDefault() {
        return given().isBlank();
    }

    private static @Nullable String password() {
        String file = System.getenv(PASSWORD_FILE);
        if (file == null || file.isBlank()) {
            return System.getenv(PASSWORD);
        }
        try {
            return Files.readString(Path.of(file)).stripTrailing();
        } catch (IOException e) {
            throw new StoreException(Messages.text("store.password-file", PASSWORD_FILE, file, e), e);
        }
    }
}
