package dev.leasehold.file;

import dev.leasehold.tck.LeasesContract;
import dev.leasehold.tck.StoreUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Leases in the directory store")
class FileLeasesContractTest extends LeasesContract {
    @TempDir
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new DirectoryUnderTest(directory);
    }
}
