package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process dies at any step of any change. */
@Tag("slow")
class CrashTest {
    private static final Duration LATER = Duration.ofHours(1);

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    @ParameterizedTest
    @CsvSource({
        "DIRECTORY, OPEN",
        "DIRECTORY, ACQUIRE",
        "DIRECTORY, TAKE_OVER",
        "DIRECTORY, RENEW",
        "DIRECTORY, RELEASE",
        "DIRECTORY, PURGE",
        "LOCK_FILE, ACQUIRE",
        "LOCK_FILE, TAKE_OVER",
        "LOCK_FILE, RENEW",
        "LOCK_FILE, RELEASE",
        "LOCK_FILE, PURGE",
        "OS_LOCK, ACQUIRE",
        "OS_LOCK, TAKE_OVER",
        "OS_LOCK, RELEASE"
    })
    @DisplayName("X05 Killed at any step of a change, a process leaves the old state or the new one, and no other")
    void killedProcessLeavesTheOldStateOrTheNewOne(StoreKind kind, Verb verb) throws Exception {
        Path rehearsal = directory.resolve("0");
        prepare(kind, verb, rehearsal);
        int steps = CrashingProcess.steps(kind, rehearsal, verb);
        assertThat(steps).isPositive();
        release(kind, rehearsal);
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            List<Future<?>> crashes = new ArrayList<>();
            for (int step = 1; step <= steps + 1; step++) {
                int number = step;
                boolean survives = step > steps;
                crashes.add(threads.submit(() -> {
                    crashAt(kind, verb, number, survives);
                    return null;
                }));
            }
            for (Future<?> crash : crashes) {
                crash.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void crashAt(StoreKind kind, Verb verb, int step, boolean survives) throws Exception {
        Path place = directory.resolve(Integer.toString(step));
        Fence before = prepare(kind, verb, place);
        try (ChildJvm child = ChildJvm.start(CrashingProcess.class, kind, place, verb, step)) {
            assertThat(child.exitCode()).as("step %d", step).isEqualTo(survives ? 0 : CrashingProcess.KILLED);
        }
        LeaseStore now = kind.open(place);
        Optional<LeaseSnapshot> found = now.find(KEY);
        found.ifPresent(snapshot -> assertThat(snapshot.record().fence()).isGreaterThanOrEqualTo(before));
        if (kind != StoreKind.LOCK_FILE) {
            assertThat(acquire(now)).as("step %d", step).isInstanceOf(Granted.class);
            assertThat(acquire(now)).as("step %d", step).isInstanceOf(Held.class);
        }
        if (kind == StoreKind.OS_LOCK) {
            assertThat(now.find(KEY).orElseThrow().record().fence()).isGreaterThan(before);
            return;
        }
        LongSupplier later = () -> Machine.here().wallMicros().getAsLong() + LATER.toSeconds() * 1_000_000;
        LeaseStore afterTheTtl = kind.open(place, Machine.here(), later);
        LeaseRef lease = take(afterTheTtl);
        assertThat(lease.fence()).isGreaterThan(before);
        afterTheTtl.release(ReleaseRequest.of(lease));
        afterTheTtl.purge(Duration.ZERO, 1);
        assertThat(leftovers(kind, place)).as("step %d", step).isEmpty();
    }

    /** The fence of the lease that the dying process finds, if any. */
    private static Fence prepare(StoreKind kind, Verb verb, Path place) throws InterruptedException {
        if (!verb.findsAnExpiredLease()) {
            return Fence.of(1);
        }
        if (kind == StoreKind.OS_LOCK) {
            return fenceOfADeadProcess(place);
        }
        LongSupplier earlier = () -> Machine.here().wallMicros().getAsLong() - LATER.toSeconds() * 1_000_000;
        return take(kind.open(place, Machine.here(), earlier)).fence();
    }

    private static Fence fenceOfADeadProcess(Path place) throws InterruptedException {
        try (ChildJvm holder = ChildJvm.start(HolderProcess.class, StoreKind.OS_LOCK, place)) {
            assertThat(holder.line()).isEqualTo("Granted");
            holder.kill();
        }
        return StoreKind.OS_LOCK.open(place).find(KEY).orElseThrow().record().fence();
    }

    private static void release(StoreKind kind, Path place) {
        LeaseStore store = kind.open(place);
        store.find(KEY)
                .map(snapshot -> snapshot.record().ref())
                .ifPresent(lease -> store.release(ReleaseRequest.of(lease)));
    }

    private static List<Path> leftovers(StoreKind kind, Path place) throws IOException {
        Path where = kind == StoreKind.LOCK_FILE ? place : place.resolve("temp");
        try (Stream<Path> files = Files.list(where)) {
            return files.toList();
        }
    }
}
