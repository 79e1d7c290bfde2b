package dev.leasehold.jdbc;

import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("Runs on rows of SQLite")
class SqliteRowRunsTest extends RowRunContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.SQLITE);

    @Override
    DataSource source() {
        return DATABASE.source();
    }

    @Override
    Dialect dialect() {
        return Dialect.SQLITE;
    }
}
