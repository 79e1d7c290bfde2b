package dev.leasehold.tck.lease;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.memory.MemoryLeaseStore;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Fence;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.tck.FaultyStore;
import dev.leasehold.tck.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** A store in time that is moved by hand, and as many clients on it as a test wants, each with faults of its own. */
final class Bench implements AutoCloseable {
    static final Key KEY = Key.of("report");
    static final Duration TTL = LeaseOptions.DEFAULT_TTL;

    final ManualTime time = new ManualTime();
    final MemoryLeaseStore memory = new MemoryLeaseStore(time.storeClock());
    private final List<Client> clients = new ArrayList<>();

    Client client(String name) {
        return client(name, time);
    }

    Client client(String name, Clockwork clockwork) {
        return client(name, clockwork, memory);
    }

    /** A client in other time, or on another view of the same store. */
    Client client(String name, Clockwork clockwork, LeaseStore view) {
        Client client = new Client(name, clockwork, view, clients.size());
        clients.add(client);
        return client;
    }

    /** A holder that died: it will neither renew nor release. */
    Fence deadHolder(Key key, Duration ttl) {
        AcquireResult result =
                memory.acquire(AcquireRequest.of(key, new Nonce(0, clients.size() + 1), Owner.of("dead"), ttl));
        return ((AcquireResult.Granted) result).fence();
    }

    /** Whether the store thinks that somebody has the key. */
    boolean isHeld(Key key) {
        return memory.find(key).map(found -> found.isHeld()).orElse(false);
    }

    void advance(Duration duration) {
        time.advance(duration);
    }

    void advanceSeconds(double seconds) {
        time.advance(Duration.ofNanos(Math.round(seconds * 1e9)));
    }

    @Override
    public void close() {
        clients.forEach(client -> client.store.heal());
        // What failed is tried again when time passes. Without that, closing a client waits for it in real time.
        advance(TTL);
        clients.forEach(client -> client.leases.close());
    }

    /** One process. */
    final class Client {
        final FaultyStore store;
        final List<LeaseEvent> events = new ArrayList<>();
        final Leases leases;

        private Client(String name, Clockwork clockwork, LeaseStore view, int number) {
            store = FaultyStore.inManualTime(view);
            leases = Leases.builder(store)
                    .clockwork(clockwork)
                    .random(new Random(number))
                    .owner(Owner.of(name))
                    .retaining(Micros.FOREVER)
                    .withoutLog()
                    .build();
            leases.onEvent(events::add);
        }

        Acquisition tryAcquire(Key key) {
            return leases.tryAcquire(key, LeaseOptions.noWait().withTtl(TTL));
        }

        /** A lease with the default TTL on a key that is free. */
        Lease acquire(Key key) {
            return tryAcquire(key).orElseThrow();
        }

        Lease acquire(Key key, LeaseOptions options) {
            return leases.tryAcquire(key, options).orElseThrow();
        }

        /** A call that stands in line for so long. */
        CompletableFuture<Acquisition> await(Key key, Duration patience) {
            return leases.acquireAsync(key, LeaseOptions.waitFor(patience));
        }

        /** The names of all events so far, in order. */
        List<String> told() {
            return events.stream().map(LeaseEvent::type).toList();
        }

        /** The names of the events of one lease, in order. */
        List<String> told(Lease lease) {
            return events.stream()
                    .filter(event -> event.source().leaseId().equals(lease.id()))
                    .map(LeaseEvent::type)
                    .toList();
        }

        <E extends LeaseEvent> List<E> events(Class<E> type) {
            return events.stream().filter(type::isInstance).map(type::cast).toList();
        }
    }
}
