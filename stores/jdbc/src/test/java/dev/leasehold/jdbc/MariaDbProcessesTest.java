package dev.leasehold.jdbc;

import dev.leasehold.tck.process.RunOnceProcessContract;
import dev.leasehold.tck.process.SharedStore;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Processes on MariaDB")
class MariaDbProcessesTest extends RunOnceProcessContract {
    @Override
    protected SharedStore share(Path place) {
        return new SharedDatabase(Kind.MARIADB.shared(place));
    }
}
