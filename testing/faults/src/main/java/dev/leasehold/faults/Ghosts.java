package dev.leasehold.faults;

import dev.leasehold.faults.FaultCase.Evidence;
import dev.leasehold.faults.FaultCase.Injected;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests that outlive those who sent them. Copies cannot be slipped into a driver's connection, but the same statement
 * can come from elsewhere: so what the victims have asked for is asked again after their death, at once and after their
 * leases have expired.
 */
final class Ghosts {
    private Ghosts() {}

    static Injected rise(Scene scene) throws Exception {
        try (LeaseStore store = scene.bed().openDirect()) {
            List<LeaseRef> leases = new ArrayList<>();
            for (int key = 0; key < scene.victims().size(); key++) {
                store.find(Shift.key(scene.prefix(), key))
                        .map(found -> found.record().ref())
                        .ifPresent(leases::add);
            }
            for (Member victim : scene.victims()) {
                scene.crew().kill(victim);
            }
            leases.forEach(lease -> acquireAgain(store, lease));
            return () -> {
                scene.crew().replaceDead();
                return new Evidence(sayAllAgain(scene, leases), "requests of the dead were carried out again");
            };
        }
    }

    private static void acquireAgain(LeaseStore store, LeaseRef lease) {
        store.acquire(AcquireRequest.of(lease.key(), lease.nonce(), Owner.of("ghost"), Shift.TTL));
    }

    /** By now others may have the keys. */
    private static int sayAllAgain(Scene scene, List<LeaseRef> leases) {
        try (LeaseStore store = scene.bed().openDirect()) {
            for (LeaseRef lease : leases) {
                store.renew(List.of(lease));
                store.release(ReleaseRequest.of(lease));
                acquireAgain(store, lease);
            }
        }
        return 4 * leases.size();
    }
}
