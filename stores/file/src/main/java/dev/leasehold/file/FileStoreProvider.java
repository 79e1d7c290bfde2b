package dev.leasehold.file;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreProvider;
import dev.leasehold.store.StoreUrl;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;

/**
 * {@code file:DIRECTORY}, or {@code file:///directory} with escapes as in any URL.
 *
 * <p>Leases outlive the process that asked for them. Whoever names a store by URL, a command line or a server, often
 * holds leases for somebody else, and that one may still be at work when the process is gone.
 */
public final class FileStoreProvider implements StoreProvider {
    @Override
    public Set<String> schemes() {
        return Set.of("file");
    }

    @Override
    public LeaseStore open(StoreUrl url) {
        return FileLeaseStore.of(path(url), FileLeaseStore.Options.DEFAULT.outlivingProcesses());
    }

    private static Path path(StoreUrl url) {
        if (url.holdsSecret()) {
            throw new StoreException("A directory has no user and password: " + url + ".");
        }
        try {
            if (url.rest().isBlank()) {
                throw new IllegalArgumentException("there is none");
            }
            return url.rest().startsWith("//") ? Path.of(URI.create(url.text())) : Path.of(url.rest());
        } catch (IllegalArgumentException e) {
            throw new StoreException("Not a directory's name, in " + url + ": " + e.getMessage() + ".", e);
        }
    }
}
