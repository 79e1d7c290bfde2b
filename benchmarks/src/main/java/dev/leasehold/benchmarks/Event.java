package dev.leasehold.benchmarks;

import java.util.concurrent.Callable;
import javax.sql.DataSource;

/**
 * What contestants of one type race each other in.
 *
 * @param type who can take part
 * @param opening how each opens a client
 * @param start what each does with its clients
 */
record Event<C extends Contestant, W extends Worker>(Class<C> type, Opening<C, W> opening, Start<W> start) {
    static final Event<Contestant.Locks, Worker.Locker> ALONE = new Event<>(
            Contestant.Locks.class, Contestant.Locks::locking, (name, keys, client) -> new Work.AloneFromScratch(keys));
    static final Event<Contestant.Grows, Worker.Locker> GROWN = new Event<>(
            Contestant.Grows.class, Contestant.Grows::locking, (name, keys, client) -> new Work.Alone(keys));
    static final Event<Contestant.Waits, Worker.Waiter> IN_TURN = new Event<>(
            Contestant.Waits.class, Contestant.Waits::waiting, (name, keys, client) -> new Work.InTurn(name));
    static final Event<Contestant.Locks, Worker.Locker> SKIP = new Event<>(
            Contestant.Locks.class, Contestant.Locks::locking, (name, keys, client) -> new Work.Skip(name, client));
    static final Event<Contestant.Runs, Worker.Runner> FIRST_RUN = new Event<>(
            Contestant.Runs.class, Contestant.Runs::running, (name, keys, client) -> new Work.FirstRun(name));
    static final Event<Contestant.Runs, Worker.Runner> REPLAY =
            new Event<>(Contestant.Runs.class, Contestant.Runs::running, (name, keys, client) -> new Work.Replay(keys));
    static final Event<Contestant.Caches, Worker.Runner> CACHED = new Event<>(
            Contestant.Caches.class, Contestant.Caches::caching, (name, keys, client) -> new Work.Replay(keys));

    /** Opens one client of a contestant. */
    interface Opening<C, W extends Worker> {
        Node<W> open(C contestant, DataSource source, StoreKind store, Cell cell) throws Exception;
    }

    /** Makes the work of the contestant with this name, on these keys; a client that it opens is its own to close. */
    interface Start<W extends Worker> {
        Work<W> work(String name, KeySpace keys, Callable<Node<W>> client) throws Exception;
    }
}
