package dev.leasehold.jdbc;

import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreTraits;
import dev.leasehold.tck.StoreUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Runs on H2")
class H2RunOnceTest extends RunOnceContract {
    @TempDir
    private static Path directory;

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.h2(directory);
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected StoreUnderTest storeUnderTest() {
        return new SqlUnderTest(database.source(), StoreTraits.inMovedTime().withTick(Duration.ofMillis(1)));
    }
}
