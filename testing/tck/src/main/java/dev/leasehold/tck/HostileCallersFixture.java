package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.lease.SystemClockwork;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A client whose callers misbehave, one whose callers do not, and what must be true after each case. */
abstract class HostileCallersFixture extends StoreFixture {
    private final List<Leases> clients = new ArrayList<>();
    private final List<Key> keys = new ArrayList<>();
    /** Opened after each case, so that a callback that a case left blocked ends. */
    private final CountDownLatch isOver = new CountDownLatch(1);

    private Set<Thread> threadsOfOthers = Set.of();
    StarvedClockwork threads;
    /** The client whose callers misbehave. */
    Leases ann;
    /** Another client on the same store, which must not notice. */
    Leases bob;

    /** The threads of the client whose callers misbehave; a test of this contract plants a bug here. */
    StarvedClockwork starved(Clockwork clockwork) {
        return new StarvedClockwork(clockwork);
    }

    /** How long a call that waits for nobody may take on a busy machine. */
    Duration patience() {
        return Duration.ofSeconds(10);
    }

    @BeforeEach
    final void openClients() throws Exception {
        assertThat(traits().time())
                .as("callers are hostile in real time, so the store's clock has to run by itself")
                .isNotEqualTo(StoreTraits.Time.MANUAL);
        threadsOfOthers = keepers();
        threads = starved(SystemClockwork.shared());
        ann = client(store, threads);
        bob = client(another(), SystemClockwork.shared());
    }

    /** One more client, which is closed after the case. */
    final Leases client(LeaseStore view, Clockwork clockwork) {
        Leases client = Leases.builder(view)
                .clockwork(clockwork)
                .owner(Owner.of("worker"))
                .retaining(Micros.FOREVER)
                .withoutLog()
                .build();
        clients.add(client);
        return client;
    }

    @AfterEach
    final void nothingIsLeft() throws Exception {
        isOver.countDown();
        threads.haveThreadsAgain();
        assertThat(Thread.interrupted()).as("the flag of the test's own thread").isFalse();
        for (Leases client : clients) {
            inTime("closed", () -> {
                client.close();
                return true;
            });
        }
        for (Key key : keys) {
            eventually("given back or expired: " + key, () -> !isHeld(key));
            eventually("nobody in line: " + key, () -> lineOf(key) == 0);
        }
        eventually("no keeper thread left", () -> threadsOfOthers.containsAll(keepers()));
    }

    private static Set<Thread> keepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("leasehold-keeper"))
                .collect(Collectors.toCollection(HashSet::new));
    }

    /** A key that nobody used before, and that nobody has after the case. */
    final Key newKey() {
        Key key = key();
        keys.add(key);
        return key;
    }

    final boolean isHeld(Key key) {
        return store.find(key).map(found -> found.isHeld()).orElse(false);
    }

    final boolean isNothingHeld() {
        return keys.stream().noneMatch(this::isHeld);
    }

    private int lineOf(Key key) {
        return store.find(key).map(found -> found.record().line().size()).orElse(0);
    }

    /** A TTL that tests can afford to wait for, and that a busy machine does not miss. */
    final Duration shortTtl() {
        Duration shortest = store.shortestTtl();
        Duration sensible = Duration.ofMillis(900);
        return shortest.compareTo(sensible) > 0 ? shortest : sensible;
    }

    final LeaseOptions inLine() {
        return LeaseOptions.waitFor(patience());
    }

    final Lease acquire(Leases client) throws Exception {
        Key key = newKey();
        return inTime("acquired", () -> client.tryAcquire(key).orElseThrow());
    }

    final void releaseInTime(Lease lease) throws Exception {
        ReleaseOutcome outcome = inTime("released", lease::release);
        assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
    }

    /** The result of a call, which must come although callbacks misbehave. */
    final <T> T inTime(String what, Callable<T> call) throws Exception {
        Threads.Running<T> running = Threads.start(call);
        return inTime(what, running.task());
    }

    final <T> T inTime(String what, FutureTask<T> task) throws Exception {
        try {
            return task.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("Not " + what + " within " + patience().toMillis() + " ms.", e);
        }
    }

    final void eventually(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + patience().toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - end).as("in good time: " + what).isNegative();
            Threads.pause(Duration.ofMillis(2));
        }
    }

    /** What a callback does that blocks: until the case is over. */
    final void block() {
        boolean wasInterrupted = false;
        while (isOver.getCount() > 0) {
            try {
                wasInterrupted |= !isOver.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Starts a virtual thread, or one of the platform's where the JDK has no others. Found by name, because the kit is
     * built for a JDK that has none.
     */
    static Thread startVirtual(Runnable task) throws ReflectiveOperationException {
        for (Method method : Thread.class.getMethods()) {
            if (method.getName().equals("startVirtualThread")) {
                return (Thread) method.invoke(null, task);
            }
        }
        Thread thread = new Thread(task, "test");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
