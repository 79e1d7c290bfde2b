package dev.leasehold.analysis;

import dev.leasehold.store.StoreException;
import java.nio.file.Path;

/** Opens the store that the settings name. */
final class AnalysisStores {
    private static final Path FILE = Path.of("analyses.firestore");

    private AnalysisStores() {}

    /**
     * Opens the store.
     *
     * @throws StoreException if that fails: says why, for the person who starts the worker
     */
    static AnalysisStore open(Settings settings) {
        try {
            return named(settings);
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StoreException("The store cannot be opened: " + e.getMessage(), e);
        }
    }

    private static AnalysisStore named(Settings settings) {
        String url = settings.store();
        if (url.startsWith("jdbc:")) {
            return RowAnalyses.open(url, settings.storeUser(), settings.storePassword());
        }
        if (url.startsWith("firestore:")) {
            return FirestoreAnalyses.open(url, settings.emulator());
        }
        if (!url.isEmpty()) {
            throw new StoreException(
                    "The URL of the store begins with firestore: or jdbc:, such as firestore:my-project"
                            + " or jdbc:postgresql://host/database.");
        }
        return settings.emulator() == null && settings.project() == null
                ? FirestoreAnalyses.embedded(FILE)
                : FirestoreAnalyses.open("firestore:", settings.emulator());
    }
}
