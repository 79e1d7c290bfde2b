package dev.leasehold.jdbc;

import dev.leasehold.tck.interleaving.Arena;
import dev.leasehold.tck.interleaving.InterleavingContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Interleavings on H2")
class H2InterleavingTest extends InterleavingContract {
    @TempDir
    private static Path directory;

    /** Each arena has a database of its own. */
    @Override
    protected Arena arena(Duration callLimit) throws IOException {
        return SqlArena.alone(TestDatabase.h2(Files.createTempDirectory(directory, "arena")), callLimit);
    }
}
