package dev.leasehold.file;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.HistoryContract;
import dev.leasehold.tck.ManualTime;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("History in files")
class FileHistoryContractTest extends HistoryContract {
    private final ManualTime time = new ManualTime();

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new DirectoryUnderTest(directory) {
            @Override
            public StoreTraits traits() {
                return StoreTraits.inManualTime();
            }

            @Override
            public LeaseStore open() {
                return new FileLeaseStore(directory, FileLeaseStore.Options.DEFAULT, Machine.here(), time.storeClock());
            }
        };
    }

    @Override
    protected void endOfFile() {
        time.advance(FileHistory.SPAN);
    }
}
