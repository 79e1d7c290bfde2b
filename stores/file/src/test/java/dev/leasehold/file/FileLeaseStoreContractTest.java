package dev.leasehold.file;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.ManualTime;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The directory store, in manual time")
class FileLeaseStoreContractTest extends LeaseStoreContract {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        ManualTime time = new ManualTime();
        return new DirectoryUnderTest(directory) {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inManualTime().withOperations(500);
            }

            @Override
            public LeaseStore open() {
                return new FileLeaseStore(directory, FileLeaseStore.Options.DEFAULT, Machine.here(), time.storeClock());
            }

            @Override
            public void elapse(Duration duration) {
                time.advance(duration);
            }

            @Override
            public void setBack(Duration by) {
                time.shiftStoreClock(by.negated());
            }
        };
    }
}
