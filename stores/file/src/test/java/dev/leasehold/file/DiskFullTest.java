package dev.leasehold.file;

import static dev.leasehold.file.Requests.acquire;
import static dev.leasehold.file.Requests.take;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.AcquireResult.Held;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreUnavailableException;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk with no room left. */
class DiskFullTest {
    private static final Set<DiskStep> NEEDING_ROOM = EnumSet.of(
            DiskStep.CREATE,
            DiskStep.WRITE_REST,
            DiskStep.FORCE,
            DiskStep.LINK,
            DiskStep.MAKE_DIRECTORY,
            DiskStep.MOVE,
            DiskStep.WRITE_SLOT);

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();

    /** Where nobody may mount a small disk, the steps that need room are told that there is none. */
    @ParameterizedTest
    @EnumSource(names = {"DIRECTORY", "LOCK_FILE"})
    @DisplayName("X07 A change on a full disk fails, and the state stays as it was")
    void fullDiskLeavesTheOldState(StoreKind kind) throws Exception {
        String mount = "mount -t tmpfs -o size=64k tmpfs \"$0\" && exec \"$@\"";
        List<String> smallDisk = List.of("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount);
        if (!canMount(smallDisk)) {
            for (DiskStep step : NEEDING_ROOM) {
                refusedStepLeavesTheOldState(kind, step);
            }
            return;
        }
        Path disk = Files.createDirectory(directory.resolve("disk"));
        List<String> wrapper =
                Stream.concat(smallDisk.stream(), Stream.of(disk.toString())).toList();
        try (ChildJvm child = ChildJvm.start(wrapper, FullDiskProcess.class, kind, disk)) {
            assertThat(child.line()).isEqualTo("full: No space left on device");
            assertThat(child.line()).startsWith("unavailable: ").contains("No space left on device");
            assertThat(child.line()).isEqualTo("held");
            assertThat(child.line()).isEqualTo("renewed");
            assertThat(child.exitCode()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    @DisplayName("X07 Whichever step finds no room, the call fails and the state stays as it was")
    void everyRefusedStepLeavesTheOldState(StoreKind kind) throws IOException {
        for (DiskStep step : NEEDING_ROOM) {
            refusedStepLeavesTheOldState(kind, step);
        }
    }

    private void refusedStepLeavesTheOldState(StoreKind kind, DiskStep refused) throws IOException {
        AtomicReference<DiskStep> full = new AtomicReference<>();
        Machine machine = Machine.here().with(new Disk((step, path) -> {
            if (step == full.get()) {
                throw new IOException("No space left on device");
            }
        }));
        Path place = directory.resolve(kind + "-" + refused);
        LeaseStore store = kind.open(place, machine, clock);
        full.set(refused);
        boolean wasRefused = false;
        try {
            assertThat(acquire(store)).isInstanceOf(Granted.class);
        } catch (StoreUnavailableException e) {
            assertThat(e).hasRootCauseMessage("No space left on device");
            wasRefused = true;
        }
        full.set(null);
        if (wasRefused) {
            LeaseRef lease = take(store);
            clock.advance(Requests.TTL.dividedBy(2));
            full.set(refused);
            renewAsFarAsPossible(store, lease);
            assertThat(acquire(store)).isInstanceOf(Held.class);
            full.set(null);
            assertThat(store.renew(List.of(lease))).hasSize(1);
        }
        try (Stream<Path> files = Files.walk(place)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString())
                            .filter(name -> name.contains(".new-")
                                    || name.startsWith(ProcessHandle.current().pid() + "-")))
                    .isEmpty();
        }
    }

    /** Either it is done, or it says that it is not and nothing has changed. */
    private static void renewAsFarAsPossible(LeaseStore store, LeaseRef lease) {
        LeaseRecord before = store.find(lease.key()).orElseThrow().record();
        try {
            assertThat(store.renew(List.of(lease))).hasSize(1);
        } catch (StoreUnavailableException e) {
            assertThat(store.find(lease.key()).orElseThrow().record()).isEqualTo(before);
        }
    }

    @Test
    void failureNamesTheKeyAndKeepsItsCause() {
        LeaseStore store = StoreKind.DIRECTORY.open(directory);
        take(store);
        Machine full = Machine.here().with(new Disk((step, path) -> {
            if (step == DiskStep.READ && path.toString().contains("keys")) {
                throw new IOException("Input/output error");
            }
        }));
        LeaseStore failing = StoreKind.DIRECTORY.open(directory, full, clock);
        assertThatThrownBy(() -> acquire(failing))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(Requests.KEY.value())
                .hasMessageContaining("Input/output error")
                .hasCauseInstanceOf(IOException.class);
    }

    private boolean canMount(List<String> smallDisk) throws IOException, InterruptedException {
        Path disk = Files.createDirectory(directory.resolve("trial"));
        try {
            List<String> command = Stream.concat(smallDisk.stream(), Stream.of(disk.toString(), "true"))
                    .toList();
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
