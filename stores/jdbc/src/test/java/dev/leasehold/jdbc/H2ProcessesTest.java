package dev.leasehold.jdbc;

import dev.leasehold.tck.process.RunOnceProcessContract;
import dev.leasehold.tck.process.SharedStore;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Processes on H2")
class H2ProcessesTest extends RunOnceProcessContract {
    @Override
    protected SharedStore share(Path place) {
        return new SharedDatabase(Kind.H2.shared(place));
    }
}
