package dev.leasehold.file;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.process.SharedStore;
import dev.leasehold.tck.process.StoreOpener;
import java.nio.file.Path;
import java.util.List;

/**
 * A directory store that several processes use at once.
 *
 * @param endsWithProcess whether leases end with the process that has them
 */
record SharedDirectory(Path directory, boolean endsWithProcess) implements SharedStore {
    /** Opens a store in the directory. */
    static final class Opener implements StoreOpener {
        @Override
        public LeaseStore open(List<String> arguments) {
            boolean endsWithProcess = Boolean.parseBoolean(arguments.get(1));
            return FileLeaseStore.of(Path.of(arguments.get(0)), new FileLeaseStore.Options(false, endsWithProcess));
        }
    }

    @Override
    public Class<Opener> opener() {
        return Opener.class;
    }

    @Override
    public List<String> arguments() {
        return List.of(directory.toString(), Boolean.toString(endsWithProcess));
    }

    @Override
    public boolean freesTheDeadAtOnce() {
        return endsWithProcess;
    }
}
