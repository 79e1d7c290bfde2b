package dev.leasehold.file;

import static dev.leasehold.file.Requests.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition.Refused;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.tck.process.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Real processes that are killed or stopped while they hold a lease. */
@Tag("slow")
class SignalsTest {
    private static final Duration TTL = Duration.ofMillis(1_500);

    /** Longer than the longest interval between two looks of a caller in line, with room for a busy machine. */
    private static final Duration POLL = Duration.ofMillis(1_500);

    @TempDir(factory = MemoryDisk.class)
    Path directory;

    private ChildJvm startHolder(StoreKind kind) {
        ChildJvm holder = ChildJvm.start(KeepingProcess.class, kind, directory, TTL);
        assertThat(holder.line()).isEqualTo("held");
        return holder;
    }

    private static Duration timeToAcquire(Leases leases) throws InterruptedException {
        long start = System.nanoTime();
        Lease lease = leases.acquire(KEY, LeaseOptions.waitFor(Duration.ofSeconds(20)))
                .orElseThrow();
        lease.ensure();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    @DisplayName("T01 After kill -9 of the holder, a waiter has the lease within its TTL and one poll")
    void killedHolderIsFollowed(StoreKind kind) throws Exception {
        try (ChildJvm holder = startHolder(kind);
                Leases leases = Leases.on(kind.open(directory))) {
            holder.say("");
            assertThat(holder.line()).isEqualTo("guarded work");
            holder.kill();
            Duration limit = kind == StoreKind.LOCK_FILE ? TTL.plus(POLL) : POLL;
            assertThat(timeToAcquire(leases)).isLessThan(limit);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"DIRECTORY", "LOCK_FILE"})
    @DisplayName("T02 A holder that was stopped past its TTL is followed, and does no guarded work when it goes on")
    void stoppedHolderIsFollowedAndKnowsIt(StoreKind kind) throws Exception {
        try (ChildJvm holder = startHolder(kind);
                Leases leases = Leases.on(kind.open(directory))) {
            holder.stop();
            assertThat(timeToAcquire(leases)).isLessThan(TTL.plus(POLL));
            holder.say("");
            holder.resume();
            assertThat(holder.line()).isEqualTo("lost");
        }
    }

    @Test
    @DisplayName("T02 A holder that the system knows is waited for however long it is stopped")
    void stoppedHolderOfASystemLockKeepsIt() throws Exception {
        try (ChildJvm holder = startHolder(StoreKind.OS_LOCK);
                Leases leases = Leases.on(StoreKind.OS_LOCK.open(directory))) {
            holder.stop();
            assertThat(leases.acquire(KEY, LeaseOptions.waitFor(TTL.plusMillis(300))))
                    .isInstanceOf(Refused.class);
            holder.say("");
            holder.resume();
            assertThat(holder.line()).isEqualTo("guarded work");
        }
    }
}
