package dev.leasehold.servers;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@Tag("slow")
@DisplayName("PostgreSQL 17")
class Postgres17Test extends PostgresContract {
    @Override
    int major() {
        return 17;
    }
}
