package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.LeaseStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("part-of:LOCK-5")
@DisplayName("Project locks: the fallback")
class ProjectLockFallbackTest extends ProjectLocksFixture {
    @Test
    void liveLockIsContentionAndAnExpiredOneIsTakenOver() {
        hasNoLocks = true;
        LeaseStore crashed = store();
        crashed.acquire(Requests.request(Scope.AUTOSAVE.key()));
        ProjectLocks locks = open();
        time.advance(TTL.minusNanos(1_000));
        assertThat(isRefused(locks, Scope.AUTOSAVE)).isTrue();
        time.advance(Duration.ofNanos(1_000));
        assertThat(take(locks).predecessor()).isPresent();
    }

    @Test
    @Tag("part-of:LOCK-12")
    void lockIsRenewedAtTwentySecondsToThirtySecondsFromThen() {
        Lease lease = take(openFallback());
        for (int i = 0; i < 3; i++) {
            events.clear();
            time.advance(Duration.ofSeconds(20).minusNanos(1_000));
            assertThat(told()).isEmpty();
            time.advance(Duration.ofNanos(1_000));
            assertThat(told()).containsExactly("lock:renewed");
            assertThat(expiryInFile()).isEqualTo(now().plus(TTL));
            assertThat(events(LeaseEvent.Renewed.class).get(0).expiresAt()).isEqualTo(lease.expiresAt());
        }
    }

    @Test
    void renewingThePrimaryDoesNothing() {
        Lease lease = take(open());
        List<DiskStep> steps = new CopyOnWriteArrayList<>();
        trouble = (step, path) -> steps.add(step);
        assertThat(lease.renew()).isEqualTo(Instant.MAX);
        assertThat(lease.renewAsync()).isCompletedWithValue(Instant.MAX);
        time.advance(Duration.ofHours(1));
        assertThat(steps).as("it is looked at, and nothing is written").containsOnly(DiskStep.READ);
        assertThat(told()).containsExactly("lock:acquired");
    }

    @Test
    @Tag("part-of:LOCK-12")
    void onlyFilesOfTheLockAreWrittenAndOnlyTheOsLockIsLeft() throws Exception {
        Path elsewhere = Files.createDirectory(directory.resolve("workflow-cookbook"));
        Path near = Files.createDirectory(directory.resolve("project.lock"));
        for (Path file : List.of(
                project.resolve(".lock.bak"),
                project.resolve(".lock.new-1"),
                project.resolve(".lock-histories"),
                project.resolve(".lock-history.json"),
                project.resolve("a.lock"),
                near.resolve(".lock"),
                elsewhere.resolve(".lock"))) {
            Files.writeString(file, "not ours");
        }
        Set<String> before = files();
        Set<String> made = new TreeSet<>();
        String pid = Long.toString(ProcessHandle.current().pid());
        trouble = (step, path) -> {
            switch (step) {
                case CREATE, LINK, MOVE, MAKE_DIRECTORY -> made.add(nameOfLockFile(path, pid));
                case DELETE -> nameOfLockFile(path, pid);
                default -> {}
            }
        };
        hasNoLocks = true;
        ProjectLocks locks = open();
        locks.with(
                Scope.AUTOSAVE,
                RetryPolicy.DEFAULT,
                autosave -> locks.with(Scope.HISTORY, RetryPolicy.DEFAULT, history -> {
                    time.advance(Duration.ofMinutes(5));
                    autosave.ensure();
                    history.ensure();
                    Set<String> held = new TreeSet<>(before);
                    held.addAll(Set.of("project/.lock", "project/.lock-history", "project/.os-lock"));
                    assertThat(files()).isEqualTo(held);
                    return true;
                }));
        assertThat(made)
                .containsExactly(
                        ".lock",
                        ".lock's claim",
                        ".lock's draft",
                        ".lock-history",
                        ".lock-history's claim",
                        ".lock-history's draft",
                        ".os-lock",
                        ".os-lock's draft");
        before.add("project/.os-lock");
        assertThat(files()).isEqualTo(before);
        for (Path file : StoreFiles.below(directory)) {
            if (!file.endsWith("data.json") && !file.endsWith(".os-lock")) {
                assertThat(file).hasContent("not ours");
            }
        }
    }

    /**
     * The lock's own file; a claim to change it, named after the content that the file has or had; or a draft of one of
     * these, named after this process.
     */
    private String nameOfLockFile(Path path, String pid) {
        assertThat(path.getParent()).isEqualTo(project);
        String name = path.getFileName().toString();
        String lock = name.replaceFirst("(?<=lock|lock-history)\\..*", "");
        assertThat(lock).isIn(".lock", ".lock-history", ".os-lock");
        String rest = name.substring(lock.length());
        if (rest.isEmpty()) {
            return lock;
        }
        boolean isClaim = rest.matches("\\.[0-9a-f]{32}");
        assertThat(isClaim || rest.matches("\\.new-(" + pid + "-)?[0-9a-f]{32}"))
                .as(name)
                .isTrue();
        return lock + (isClaim ? "'s claim" : "'s draft");
    }
}
