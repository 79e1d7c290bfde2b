package dev.leasehold.file;

import dev.leasehold.tck.HostileCallersContract;
import dev.leasehold.tck.StoreUnderTest;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Hostile callers on the directory store")
class FileHostileCallersTest extends HostileCallersContract {
    @TempDir
    Path directory;

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new DirectoryUnderTest(directory);
    }
}
