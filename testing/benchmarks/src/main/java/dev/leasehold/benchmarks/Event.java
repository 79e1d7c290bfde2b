package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.Contestant.Caches;
import dev.leasehold.benchmarks.Contestant.Grows;
import dev.leasehold.benchmarks.Contestant.Locks;
import dev.leasehold.benchmarks.Contestant.Queues;
import dev.leasehold.benchmarks.Contestant.Runs;
import dev.leasehold.benchmarks.Contestant.Serves;
import dev.leasehold.benchmarks.Contestant.Waits;
import dev.leasehold.benchmarks.Worker.Locker;
import dev.leasehold.benchmarks.Worker.Runner;
import dev.leasehold.benchmarks.Worker.Waiter;
import java.util.concurrent.Callable;

/**
 * What contestants of one type race each other in.
 *
 * @param type who can take part
 * @param opening how each opens a client
 * @param start what each does with its clients
 */
record Event<C extends Contestant, W extends Worker>(Class<C> type, Opening<C, W> opening, Start<W> start) {
    static final Event<Locks, Locker> ALONE =
            new Event<>(Locks.class, Locks::locking, (name, keys, client) -> new Work.AloneFromScratch(keys));
    static final Event<Grows, Locker> GROWN =
            new Event<>(Grows.class, Grows::locking, (name, keys, client) -> new Work.Alone(keys));
    static final Event<Waits, Waiter> IN_TURN =
            new Event<>(Waits.class, Waits::waiting, (name, keys, client) -> new Work.InTurn(name, Cell.W3.task));
    static final Event<Locks, Locker> SKIP =
            new Event<>(Locks.class, Locks::locking, (name, keys, client) -> new Work.Skip(name, client));
    static final Event<Runs, Runner> FIRST_RUN =
            new Event<>(Runs.class, Runs::running, (name, keys, client) -> Work.Run.first(name));
    static final Event<Runs, Runner> REPLAY =
            new Event<>(Runs.class, Runs::running, (name, keys, client) -> new Work.Replay(keys));
    static final Event<Caches, Runner> CACHED =
            new Event<>(Caches.class, Caches::caching, (name, keys, client) -> new Work.Replay(keys));

    static final Event<Serves, Runner> SERVED = new Event<>(
            Serves.class,
            (contestant, bed, cell) -> Application.start(contestant.application(bed)),
            (name, keys, client) -> new Work.Run(keys::any));

    /** The threads of one client take turns. */
    static Event<Queues, Waiter> ofOneClient(Cell cell) {
        return new Event<>(Queues.class, Queues::queueing, (name, keys, client) -> new Work.InTurn(name, cell.task));
    }

    /** Opens one client of a contestant. */
    interface Opening<C, W extends Worker> {
        Node<W> open(C contestant, Bed bed, Cell cell) throws Exception;
    }

    /** Makes the work of the contestant with this name, on these keys; a client that it opens is its own to close. */
    interface Start<W extends Worker> {
        Work<W> work(String name, KeySpace keys, Callable<Node<W>> client) throws Exception;
    }
}
