package dev.leasehold.file;

import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreUnderTest;
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
        return new DirectoryUnderTest(directory);
    }
}
