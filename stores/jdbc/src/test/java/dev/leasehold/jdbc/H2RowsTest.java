package dev.leasehold.jdbc;

import java.nio.file.Path;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Rows in H2")
class H2RowsTest extends RowContract {
    @TempDir
    private static Path directory;

    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.h2(directory);
    }

    @Override
    DataSource source() {
        return database.source();
    }

    @Override
    Dialect dialect() {
        return Dialect.H2;
    }
}
