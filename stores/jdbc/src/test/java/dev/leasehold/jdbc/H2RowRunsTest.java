package dev.leasehold.jdbc;

import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("Runs on rows of H2 with a nonce")
class H2RowRunsTest extends RowRunContract {
    @RegisterExtension
    private static final FreshDatabase DATABASE = FreshDatabase.of(Kind.H2);

    @Override
    DataSource source() {
        return DATABASE.source();
    }

    @Override
    Dialect dialect() {
        return Dialect.H2;
    }

    @Override
    RowMapping mapping() {
        return super.mapping().nonce("lock_nonce");
    }
}
