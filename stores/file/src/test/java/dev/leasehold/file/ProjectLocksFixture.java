package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Acquisition.Acquired;
import dev.leasehold.lease.Acquisition.Refused;
import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.tck.ManualTime;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The locks of a project folder on a disk that fails as told. Time is moved by hand. */
abstract class ProjectLocksFixture {
    static final Duration TTL = Duration.ofSeconds(30);

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    final ManualTime time = new ManualTime();
    final List<LeaseEvent> events = Collections.synchronizedList(new ArrayList<>());
    final List<ProjectLocks> opened = new ArrayList<>();
    /** What goes wrong on the disk; told before each step. */
    volatile Disk.Probe trouble = Disk.Probe.NONE;

    volatile boolean hasNoLocks;
    Path project;
    Path lockFile;

    @BeforeEach
    void makeProject() throws IOException {
        project = Files.createDirectory(directory.resolve("project")).toRealPath();
        lockFile = project.resolve(".lock");
        Files.writeString(project.resolve("data.json"), "{}");
    }

    @AfterEach
    void close() {
        trouble = Disk.Probe.NONE;
        opened.forEach(ProjectLocks::close);
    }

    Machine machine() {
        return realTime().withClocks(time.storeClock(), time.storeClock());
    }

    Machine realTime() {
        Disk disk = new Disk((step, path) -> {
            if (step == DiskStep.LOCK && hasNoLocks) {
                throw new FileSystemException(path.toString(), null, "Operation not permitted");
            }
            trouble.before(step, path);
        });
        return Machine.here().with(disk);
    }

    LeaseStore store() {
        return ProjectLocks.store(project, machine());
    }

    /** As another process would have it: nothing is shared but the folder. */
    ProjectLocks open() {
        return open(store(), time);
    }

    ProjectLocks open(LeaseStore store, Clockwork clockwork) {
        ProjectLocks locks = ProjectLocks.on(store, clockwork);
        opened.add(locks);
        locks.onEvent(events::add);
        return locks;
    }

    ProjectLocks openFallback() {
        hasNoLocks = true;
        return open();
    }

    static Lease take(ProjectLocks locks) {
        return take(locks, Scope.AUTOSAVE);
    }

    /** Does not wait: time stands still here. */
    static Lease take(ProjectLocks locks, Scope scope) {
        CompletableFuture<Acquisition> call = locks.acquireAsync(scope, RetryPolicy.DEFAULT);
        assertThat(call).isCompletedWithValueMatching(Acquired.class::isInstance);
        return call.join().orElseThrow();
    }

    static boolean isRefused(ProjectLocks locks, Scope scope) {
        return locks.acquireAsync(scope, RetryPolicy.DEFAULT.withMaxAttempts(1)).join() instanceof Refused;
    }

    void failWhen(DiskStep failing, Path where, IOException failure) {
        trouble = (step, path) -> {
            if (step == failing && path.equals(where)) {
                throw failure;
            }
        };
    }

    static IOException broken() {
        return new FileSystemException("disk", null, "Input/output error");
    }

    List<String> told() {
        return events.stream().map(LeaseEvent::type).toList();
    }

    <E extends LeaseEvent> List<E> events(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    List<Long> delays() {
        return events(LeaseEvent.Retry.class).stream()
                .map(retry -> retry.delay().toMillis())
                .toList();
    }

    static LeaseException errorOf(CompletableFuture<?> call) {
        try {
            throw new AssertionError("no error, but " + call.join());
        } catch (CompletionException e) {
            return (LeaseException) Objects.requireNonNull(e.getCause());
        }
    }

    Instant now() {
        return Instant.EPOCH.plusNanos(time.storeClock().getAsLong() * 1_000);
    }

    Instant expiryInFile() {
        long micros = store().find(Scope.AUTOSAVE.key()).orElseThrow().record().expiryMicros();
        return Instant.EPOCH.plusNanos(micros * 1_000);
    }

    Set<String> files() throws IOException {
        Set<String> files = new TreeSet<>();
        for (Path file : StoreFiles.below(directory.toRealPath())) {
            files.add(directory.toRealPath().relativize(file).toString());
        }
        return files;
    }
}
