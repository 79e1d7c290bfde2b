package dev.leasehold.servers;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("PostgreSQL 16")
class Postgres16Test extends PostgresContract {
    @Override
    int major() {
        return 16;
    }
}
