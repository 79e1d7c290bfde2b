package dev.leasehold.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.file.ProjectLocks.Scope;
import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.process.ChildJvm;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("LOCK-7")
@DisplayName("Project locks: a release that cannot delete the file")
class ProjectLockCleanupTest extends ProjectLocksFixture {
    private final AtomicInteger tries = new AtomicInteger();

    /** As while another program has it open, on systems that keep its name then: nor can another file get the name. */
    private void makeUndeletable() {
        trouble = (step, path) -> {
            if ((step == DiskStep.DELETE || step == DiskStep.MOVE) && path.equals(lockFile)) {
                tries.addAndGet(step == DiskStep.DELETE ? 1 : 0);
                throw broken();
            }
        };
    }

    @Test
    @Tag("part-of:LOCK-12")
    void workGoesOnAfterThreeTriesAndAWarning() throws InterruptedException {
        ProjectLocks locks = openFallback();
        String result = locks.<String, RuntimeException>with(lease -> {
            makeUndeletable();
            return "saved";
        });
        assertThat(result).isEqualTo("saved");
        assertThat(tries).hasValue(3);
        assertThat(told()).containsExactly("lock:acquired", "lock:cleanup-warning");
        assertThat(events(LeaseEvent.CleanupWarning.class).get(0).message())
                .contains("autosave", "Input/output")
                .endsWith("; it expires by itself in at most 30 s.");
        assertThat(lockFile).exists();
    }

    @Test
    void warningOfThePrimaryPromisesNoExpiry() {
        FaultyStore faulty = FaultyStore.inManualTime(store());
        faulty.always(Verb.RELEASE, new Fault.LostRequest());
        take(open(faulty, time)).release();
        assertThat(events(LeaseEvent.CleanupWarning.class).get(0).message())
                .startsWith("Could not release the lease on autosave: ")
                .endsWith(". The next acquire tries again.");
    }

    /** As after a write error: the record of the primary cannot be changed. */
    private void makeUnwritable() {
        trouble = (step, path) -> {
            if (step == DiskStep.WRITE_SLOT) {
                tries.incrementAndGet();
                throw broken();
            }
        };
    }

    @Test
    void nextAcquireFreesThePrimaryHoweverLongTheDiskWasBroken() {
        ProjectLocks locks = open();
        Lease first = take(locks);
        makeUnwritable();
        assertThat(first.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        time.advance(Duration.ofHours(1));
        trouble = Disk.Probe.NONE;
        assertThat(take(locks).fence()).isGreaterThan(first.fence());
    }

    @Test
    void primaryIsFreedByTheNextOpeningIfTheDiskWasBrokenAsTheLocksWereClosed() {
        ProjectLocks locks = open();
        take(locks);
        makeUnwritable();
        locks.close();
        trouble = Disk.Probe.NONE;
        take(open());
    }

    @Test
    void primaryIsFreedAlsoIfAcquiresFailedInBetween() {
        ProjectLocks locks = open();
        Lease first = take(locks);
        makeAllFail();
        assertThat(first.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
        ProjectLocks other = open();
        for (int i = 0; i < 200; i++) {
            CompletableFuture<Acquisition> call =
                    other.acquireAsync(Scope.AUTOSAVE, RetryPolicy.DEFAULT.withMaxAttempts(1));
            assertThat(errorOf(call).code()).isEqualTo(LeaseException.Code.UNAVAILABLE);
        }
        locks.close();
        other.close();
        trouble = Disk.Probe.NONE;
        take(open());
    }

    private void makeAllFail() {
        trouble = (step, path) -> {
            throw broken();
        };
    }

    @Test
    void lostPrimaryIsFreedByTheNextAcquireToo() {
        ProjectLocks locks = open();
        Lease first = take(locks);
        makeAllFail();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(first::renew).isInstanceOf(LeaseException.class);
            time.advance(Duration.ofSeconds(5));
        }
        assertThat(first.release()).isEqualTo(ReleaseOutcome.LOST);
        time.advance(Duration.ofHours(1));
        trouble = Disk.Probe.NONE;
        take(locks);
    }

    @Test
    void primaryIsFreedThirtySecondsAfterTheDiskWorksAgainThoughNobodyAsks() {
        Lease first = take(open());
        makeUnwritable();
        first.release();
        time.advance(Duration.ofHours(1));
        assertThat(tries.get()).as("at most two a minute").isBetween(100, 130);
        trouble = Disk.Probe.NONE;
        time.advance(TTL);
        assertThat(store().find(Scope.AUTOSAVE.key()).orElseThrow().isHeld()).isFalse();
        assertThat(told()).containsExactly("lock:acquired", "lock:cleanup-warning");
    }

    @Test
    void nextAcquireTriesToCleanUpFirst() throws IOException {
        ProjectLocks locks = openFallback();
        Lease first = take(locks);
        makeUndeletable();
        first.release();
        trouble = Disk.Probe.NONE;
        List<String> order = orderOfChanges(locks);
        Lease next = take(locks);
        assertThat(order).startsWith("DELETE").endsWith("MOVE", "lock:acquired");
        assertThat(next.predecessor()).isEmpty();
        next.release();
        assertThat(files()).containsExactly("project/.os-lock", "project/data.json");
    }

    @Test
    void nextAcquireOfAnotherClientReplacesTheFileBeforeItHasTheLock() {
        Lease first = take(openFallback());
        makeUndeletable();
        first.release();
        ProjectLocks other = open();
        List<String> order = orderOfChanges(other);
        CompletableFuture<Acquisition> call = other.acquireAsync();
        assertThat(order).containsExactly("MOVE", "lock:retry");
        trouble = Disk.Probe.NONE;
        time.advance(Duration.ofMillis(500));
        assertThat(call.join().orElseThrow().predecessor()).isEmpty();
    }

    @Test
    void fileThatCannotBeWrittenEitherIsTakenOverAtItsTtl() {
        Lease first = take(openFallback());
        trouble = (step, path) -> {
            if (path.equals(lockFile) && step != DiskStep.READ) {
                throw broken();
            }
        };
        first.release();
        trouble = Disk.Probe.NONE;
        ProjectLocks other = open();
        assertThat(isRefused(other, Scope.AUTOSAVE)).isTrue();
        time.advance(TTL);
        take(other);
    }

    /** What is done to the lock's file from now on, and the events of these locks. */
    private List<String> orderOfChanges(ProjectLocks locks) {
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        Disk.Probe before = trouble;
        trouble = (step, path) -> {
            if (path.equals(lockFile) && ProjectProcess.CHANGES.contains(step)) {
                order.add(step.name());
            }
            before.before(step, path);
        };
        locks.onEvent(event -> order.add(event.type()));
        return order;
    }

    @Test
    void anotherProcessReplacesTheFileTakesTheLockAtOnceAndLeavesNoFile() throws Exception {
        hasNoLocks = true;
        ProjectLocks locks = ProjectLocks.on(ProjectLocks.store(project, realTime()));
        opened.add(locks);
        Lease first = locks.acquire().orElseThrow();
        makeUndeletable();
        first.release();
        assertThat(lockFile).exists();
        try (ChildJvm other = ChildJvm.start(ProjectProcess.class, project, false)) {
            assertThat(other.line()).isEqualTo("lock-file");
            assertThat(other.line()).isEqualTo("[MOVE]");
            assertThat(isRefused(locks, Scope.AUTOSAVE)).isTrue();
            other.say("release");
            assertThat(other.line()).isEqualTo("closed");
        }
        assertThat(files()).containsExactly("project/.os-lock", "project/data.json");
    }
}
