package dev.leasehold.file;

import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.concurrency.ConcurrencyContract;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The directory store")
class FileConcurrencyTest extends ConcurrencyContract {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new DirectoryUnderTest(directory) {
            @Override
            public StoreTraits traits() {
                return super.traits().withTick(Duration.ofMillis(1));
            }
        };
    }
}
