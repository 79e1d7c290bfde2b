package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.faults.FaultCase.Injected;
import dev.leasehold.faults.FaultCase.Injector;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.tck.proxy.Fault;
import dev.leasehold.tck.proxy.Injection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** What can happen to the store itself. */
final class StoreFaults {
    private static final Duration UNTIL_LOST = Duration.ofMillis(1_200);

    private StoreFaults() {}

    static Injected restart(Scene scene) {
        long before = scene.server().pid();
        scene.server().kill();
        return () -> {
            scene.server().restart();
            long after = scene.server().pid();
            return new Evidence(before == after ? 0 : 1, "server killed: process " + before + " became " + after);
        };
    }

    static Injected pause(Scene scene) {
        scene.server().pause();
        return () -> {
            scene.server().resume();
            return new Evidence(1, "server stopped with all its processes");
        };
    }

    /** The store comes back as it was a while ago. Where it is nothing but files, no worker lives through that. */
    static Injected loseCommits(Scene scene) throws Exception {
        boolean isFiles = scene.bed().server().isEmpty();
        Bed.Backup backup = isFiles ? backUpStopped(scene) : scene.bed().backUp();
        TimeUnit.NANOSECONDS.sleep(UNTIL_LOST.toNanos());
        Key mark = Key.of("mark/" + scene.random().nextLong());
        take(scene, mark);
        if (isFiles) {
            for (Member member : scene.crew().members()) {
                scene.crew().kill(member);
            }
        }
        backup.putBack();
        int lost;
        try (LeaseStore store = scene.bed().openDirect()) {
            lost = store.find(mark).isEmpty() ? 1 : 0;
        }
        return () -> {
            scene.crew().replaceDead();
            return new Evidence(lost, "a lease that was granted is unknown to the store");
        };
    }

    private static void take(Scene scene, Key key) {
        try (LeaseStore store = scene.bed().openDirect()) {
            Nonce nonce = new Nonce(1, scene.random().nextLong());
            store.acquire(AcquireRequest.of(key, nonce, Owner.of("mark"), Duration.ofHours(1)));
        }
    }

    private static Bed.Backup backUpStopped(Scene scene) throws Exception {
        for (Member member : scene.crew().members()) {
            member.stop();
        }
        try {
            return scene.bed().backUp();
        } finally {
            for (Member member : scene.crew().members()) {
                member.resume();
            }
        }
    }

    static Injected deleteRecords(Scene scene) throws Exception {
        int deleted = scene.bed().records().delete();
        return () -> new Evidence(deleted, "records deleted by hand");
    }

    static Injected lockRecords(Scene scene) throws Exception {
        SqlRecords.Lock lock = scene.table().lock();
        return () -> {
            lock.close();
            return new Evidence(lock.records(), "records locked by a stranger's transaction");
        };
    }

    /** All leases are over at once, though their holders live. */
    static Injector clockForward(Duration by) {
        return scene -> {
            Evidence moved = scene.clock().move(by);
            return () -> moved;
        };
    }

    /** The leases of the dead last for much longer; those of the living are put right by their next renewal. */
    static Injector clockBack(Duration by) {
        return scene -> {
            for (Member victim : scene.victims()) {
                scene.crew().kill(victim);
            }
            Evidence moved = scene.clock().move(by.negated());
            return () -> {
                scene.crew().replaceDead();
                return moved;
            };
        };
    }

    /** All connections are lost, and strangers are quicker to have new ones. */
    static Injected exhaustConnections(Scene scene) throws Exception {
        Crowd crowd = scene.bed().crowd().orElseThrow();
        Injection closed = scene.proxy().inject(new Fault.RefuseConnections());
        scene.proxy().resetAll();
        int taken = 0;
        for (int round = 0; round < 5; round++) {
            // The server takes a moment to notice that connections are gone.
            TimeUnit.MILLISECONDS.sleep(50);
            taken = crowd.fill();
        }
        closed.lift();
        int count = taken;
        return () -> {
            crowd.close();
            return new Evidence(count, "connections taken by strangers, until the server refused more");
        };
    }

    /** No file of the server can be written. It may not live through that, so it is killed and started again in the end. */
    static Injected fillDisk(Scene scene) throws Exception {
        ProcessHandle first = ProcessHandle.of(scene.server().pid()).orElseThrow();
        FileLimit.NOTHING.set(first.pid());
        for (ProcessHandle child : first.descendants().toList()) {
            FileLimit.NOTHING.set(child.pid());
        }
        return () -> {
            int refused = isRefused(scene) ? 1 : 0;
            scene.server().kill();
            scene.server().restart();
            return new Evidence(refused, "a lease was refused by a server that can write no file (RLIMIT_FSIZE 0)");
        };
    }

    /** Whether the store grants nothing at present. */
    static boolean isRefused(Scene scene) {
        try {
            take(scene, Key.of("mark/" + scene.random().nextLong()));
            return false;
        } catch (RuntimeException e) {
            return true;
        }
    }
}
