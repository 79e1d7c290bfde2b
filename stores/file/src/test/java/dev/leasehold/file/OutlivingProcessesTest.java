package dev.leasehold.file;

import dev.leasehold.tck.process.RunOnceProcessContract;
import dev.leasehold.tck.process.SharedStore;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Processes on a directory store whose leases outlive them")
class OutlivingProcessesTest extends RunOnceProcessContract {
    @Override
    protected SharedStore share(Path place) {
        return new SharedDirectory(place, false);
    }
}
