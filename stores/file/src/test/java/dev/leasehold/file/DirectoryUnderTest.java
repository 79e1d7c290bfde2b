package dev.leasehold.file;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.io.IOException;
import java.nio.file.Path;

/** The directory store under the contracts, in real time. */
class DirectoryUnderTest implements StoreUnderTest {
    private final Path directory;

    DirectoryUnderTest(Path directory) {
        this.directory = directory;
    }

    @Override
    public StoreTraits traits() {
        return StoreTraits.inRealTime();
    }

    @Override
    public LeaseStore open() {
        return FileLeaseStore.of(directory);
    }

    @Override
    public void lose(Key key) throws IOException {
        StoreFiles.delete(StoreFiles.of(directory, key));
    }
}
