package dev.leasehold.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Owner;
import dev.leasehold.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two clients on the store, as if in two processes, and the patience that real time needs. */
abstract class LeasesContractFixture extends StoreFixture {
    /** How long a machine may be busy with other things before a test calls it a failure. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private final List<Leases> clients = new ArrayList<>();
    final Queue<LeaseEvent> events = new ConcurrentLinkedQueue<>();
    Leases ann;
    Leases bob;

    @BeforeEach
    final void openClients() throws Exception {
        assertThat(traits().time())
                .as("clients live in real time, so the store's clock has to run by itself")
                .isNotEqualTo(StoreTraits.Time.MANUAL);
        ann = client(store);
        bob = client(another());
        ann.onEvent(events::add);
    }

    @AfterEach
    final void closeClients() {
        clients.forEach(Leases::close);
    }

    /** All clients have the same owner, as processes of one program may have: it must not matter. */
    final Leases client(LeaseStore view) {
        Leases client = Leases.builder(view)
                .owner(Owner.of("worker"))
                .retaining(Micros.FOREVER)
                .withoutLog()
                .build();
        clients.add(client);
        return client;
    }

    /** A TTL that tests can afford to wait for, and that a busy machine does not miss. */
    final Duration ttl() {
        Duration shortest = store.shortestTtl();
        Duration sensible = Duration.ofMillis(800);
        return shortest.compareTo(sensible) > 0 ? shortest : sensible;
    }

    final LeaseOptions noWait() {
        return LeaseOptions.noWait().withTtl(ttl());
    }

    /** In line, with a TTL that no test outlives. */
    static LeaseOptions inLine(Duration patience) {
        return LeaseOptions.waitFor(patience);
    }

    final Lease acquire(Leases client, Key key) {
        return client.tryAcquire(key).orElseThrow();
    }

    static Acquisition.Refused refused(Acquisition acquisition) {
        return acquisition instanceof Acquisition.Refused refused ? refused : fail("Not refused: %s", acquisition);
    }

    /**
     * Takes the key from its holder, as an operator can, and gives it to the other client; the second time for good,
     * because the store remembers who released last.
     */
    final Lease takeAway(Lease lease) {
        store.release(ReleaseRequest.of(lease.ref()));
        acquire(bob, lease.key()).release();
        return acquire(bob, lease.key());
    }

    final boolean isHeld(Key key) {
        return store.find(key).map(found -> found.isHeld()).orElse(false);
    }

    /** The names of the events of one lease of the first client, in order. */
    final List<String> told(Lease lease) {
        return events.stream()
                .filter(event -> event.source().leaseId().equals(lease.id()))
                .map(LeaseEvent::type)
                .toList();
    }
}
