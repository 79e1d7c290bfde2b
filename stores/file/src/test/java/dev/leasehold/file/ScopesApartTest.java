package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.tck.ManualTime;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScopesApartTest {
    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private final ManualTime time = new ManualTime();
    private final List<String> events = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean isHistoryBroken;

    private void before(DiskStep step, Path path) throws IOException {
        if (step == DiskStep.LOCK || (isHistoryBroken && path.endsWith(".lock-history"))) {
            String why = step == DiskStep.LOCK ? "No locks available" : "Input/output error";
            throw new FileSystemException(path.toString(), null, why);
        }
    }

    @Test
    @Tag("part-of:LOCK-6")
    @DisplayName("A lock whose renewal fails does not cost the lock of the other scope in the same batch")
    void failureOfOneScopeDoesNotCostTheOther() {
        Machine machine = Machine.here().with(new Disk(this::before)).withClocks(time.storeClock(), time.storeClock());
        try (ProjectLocks locks = ProjectLocks.on(ProjectLocks.store(directory, machine), time)) {
            Lease autosave = take(locks, Scope.AUTOSAVE);
            Lease history = take(locks, Scope.HISTORY);
            locks.onEvent(
                    event -> events.add(event.type() + " " + event.source().scope()));
            isHistoryBroken = true;
            time.advance(Duration.ofSeconds(20));
            assertThat(events).contains("lock:renewed autosave", "lock:retry history");
            time.advance(Duration.ofSeconds(25));
            assertThat(events).contains("lock:lost history").doesNotContain("lock:retry autosave");
            assertThat(autosave.isValid()).isTrue();
            assertThat(history.isValid()).isFalse();
            isHistoryBroken = false;
        }
    }

    private static Lease take(ProjectLocks locks, Scope scope) {
        return locks.acquireAsync(scope, RetryPolicy.DEFAULT).join().orElseThrow();
    }
}
