package dev.leasehold.tck.lease;

import static dev.leasehold.tck.lease.Bench.KEY;
import static dev.leasehold.tck.lease.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.LeaseState;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.FaultyStore.Fault;
import dev.leasehold.tck.FaultyStore.Verb;
import dev.leasehold.tck.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a process does on its way out. */
class ExitTest {
    private final Bench bench = new Bench();
    private final FailingClockwork clockwork = new FailingClockwork(bench.time);
    private final Bench.Client ann = bench.client("ann", clockwork);
    private final Bench.Client bob = bench.client("bob");

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    @DisplayName("L09 At the exit of the process leases are given back and waiters leave their line")
    void exitGivesBack() {
        Lease lease = ann.acquire(KEY);
        Lease other = bob.acquire(Key.of("other"));
        CompletableFuture<Acquisition> call = ann.await(other.key(), Duration.ofHours(1));
        clockwork.exit();
        assertThat(lease.isValid()).isFalse();
        assertThat(call).isCompletedExceptionally();
        assertThat(ann.told(lease)).containsExactly("lock:acquired", "lock:released");
        assertThat(bob.tryAcquire(KEY)).isInstanceOf(Acquisition.Acquired.class);
        other.release();
        assertThat(bench.isHeld(other.key())).isFalse();
    }

    @Test
    @DisplayName("L09 A client that was closed before does nothing at the exit")
    void closedClientDoesNothingAtTheExit() {
        ann.acquire(KEY);
        ann.leases.close();
        bob.acquire(KEY);
        int asked = ann.store.asked().size();
        clockwork.exit();
        assertThat(ann.store.asked()).hasSize(asked);
        assertThat(bench.isHeld(KEY)).isTrue();
    }

    @Test
    @DisplayName("L09 A client without a shutdown hook goes on at the exit until the application closes it")
    void applicationCloses() {
        Leases leases = Leases.builder(bench.memory)
                .clockwork(clockwork)
                .withoutLog()
                .withoutShutdownHook()
                .build();
        Lease lease = leases.tryAcquire(KEY, LeaseOptions.noWait().withTtl(TTL)).orElseThrow();
        clockwork.exit();
        assertThat(lease.isValid()).isTrue();
        bench.advance(TTL);
        assertThat(lease.isValid()).as("it is renewed").isTrue();
        leases.close();
        assertThat(bench.isHeld(KEY)).isFalse();
    }

    @Test
    @Timeout(20)
    @DisplayName("L09 A client that is closed with grace gives idle leases back first, and the exit waits for the rest")
    void exitJoinsAClose() throws Exception {
        Lease idle = ann.acquire(KEY);
        Lease used = ann.acquire(Key.of("used"));
        Subscription use = used.startUse();
        Threads.Running<Boolean> closing = Threads.start(() -> {
            ann.leases.close(Duration.ofHours(1));
            return true;
        });
        Threads.eventually("the idle one is given back", () -> !bench.isHeld(idle.key()));
        assertThat(closing.task().isDone()).isFalse();
        Threads.Running<Boolean> exiting = Threads.start(() -> {
            clockwork.exit();
            return true;
        });
        Threads.eventually("the exit waits", exiting::isWaiting);
        assertThat(bench.isHeld(used.key())).isTrue();

        use.close();

        assertThat(exiting.get()).isTrue();
        assertThat(bench.isHeld(used.key())).isFalse();
        assertThat(closing.get()).isTrue();
    }

    @Test
    @Tag("slow")
    @Timeout(20)
    @DisplayName("L09 The exit leaves work under a close with grace no more than its own")
    void exitCutsTheGrace() throws Exception {
        Lease used = ann.acquire(KEY);
        used.startUse();
        Threads.Running<Boolean> closing = Threads.start(() -> {
            ann.leases.close(Duration.ofHours(1));
            return true;
        });
        Threads.eventually("closing", closing::isWaiting);
        Threads.Running<Boolean> exiting = Threads.start(() -> {
            clockwork.exit();
            return true;
        });
        Threads.eventually("the exit waits", exiting::isWaiting);
        bench.advanceSeconds(2);
        assertThat(exiting.get()).isTrue();
        assertThat(closing.get()).isTrue();
        assertThat(used.state()).isEqualTo(LeaseState.LOST);
    }

    @Test
    @Tag("slow")
    @Timeout(10)
    @DisplayName("L09 A store that does not answer does not keep the process from exiting")
    void silentStoreDoesNotBlockTheExit() {
        ann.acquire(KEY);
        ann.store.always(Verb.RELEASE, new Fault.NoReply());
        long start = System.nanoTime();
        clockwork.exit();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    @Tag("slow")
    @Timeout(60)
    @DisplayName("L09 A real process that exits while it holds a lease has given it back")
    void realProcessGivesBack() throws Exception {
        MemoryLeaseStore store = new MemoryLeaseStore();
        Process process = start();
        boolean wasHeld = serve(process, store);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(7);
        assertThat(wasHeld).as("held before the exit").isTrue();
        try (Leases leases = Leases.builder(store).withoutLog().build()) {
            assertThat(leases.tryAcquire(KEY, LeaseOptions.noWait().withTtl(TTL)))
                    .isInstanceOf(Acquisition.Acquired.class);
        }
    }

    private static Process start() throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx48m",
                        "-cp",
                        classPath,
                        ExitingProcess.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Does what the process asks of the store, until it ends; says whether the key was held when it was released. */
    private static boolean serve(Process process, MemoryLeaseStore store) throws IOException {
        boolean wasHeld = false;
        BufferedReader questions = process.inputReader();
        PrintStream answers = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String[] words = line.split(" ", -1);
            Nonce nonce = Nonce.parse(words[1]);
            if (words[0].equals("acquire")) {
                AcquireResult result = store.acquire(AcquireRequest.of(KEY, nonce, Owner.of("child"), TTL));
                answers.println(((AcquireResult.Granted) result).fence());
            } else {
                wasHeld = store.find(KEY).orElseThrow().isHeld();
                Fence fence = Fence.of(Long.parseLong(words[2]));
                answers.println(store.release(ReleaseRequest.of(new LeaseRef(KEY, nonce, fence))));
            }
        }
        return wasHeld;
    }
}
