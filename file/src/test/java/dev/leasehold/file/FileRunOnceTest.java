package dev.leasehold.file;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Runs in the directory store")
class FileRunOnceTest extends RunOnceContract {
    @TempDir
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new StoreUnderTest() {
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
        };
    }
}
