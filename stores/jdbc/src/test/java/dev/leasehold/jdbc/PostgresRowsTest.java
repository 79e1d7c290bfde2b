package dev.leasehold.jdbc;

import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("Rows in PostgreSQL")
class PostgresRowsTest extends RowContract {
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        database = TestDatabase.postgres(17);
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Override
    DataSource source() {
        return database.source();
    }

    @Override
    Dialect dialect() {
        return Dialect.POSTGRESQL;
    }
}
