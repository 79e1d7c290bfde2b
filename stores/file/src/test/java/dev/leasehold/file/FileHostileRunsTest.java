package dev.leasehold.file;

import dev.leasehold.tck.HostileRunsContract;
import dev.leasehold.tck.StoreUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Hostile runs in the directory store")
class FileHostileRunsTest extends HostileRunsContract {
    @TempDir
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new DirectoryUnderTest(directory);
    }
}
