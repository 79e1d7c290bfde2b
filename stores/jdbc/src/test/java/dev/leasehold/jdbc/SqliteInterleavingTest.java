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
@DisplayName("Interleavings on SQLite")
class SqliteInterleavingTest extends InterleavingContract {
    @TempDir
    private static Path directory;

    /** A rival locks the whole file, so each arena has a file of its own. */
    @Override
    protected Arena arena(Duration callLimit) throws IOException {
        return SqlArena.alone(TestDatabase.sqlite(Files.createTempDirectory(directory, "arena")), callLimit);
    }

    @Override
    protected boolean locksRecords() {
        return false;
    }

    /** SQLite does not tell which call waits. */
    @Override
    protected int fewestThatWait(int cells) {
        return 0;
    }
}
