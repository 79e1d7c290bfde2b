package dev.leasehold;

import dev.leasehold.lease.Leases;
import dev.leasehold.once.Cooldown;
import dev.leasehold.once.Once;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import java.time.Duration;

/**
 * Makes work run once, on the store the user already has. The entry point: everything else is reached from here.
 *
 * <p>Safe for use by many threads. One per process and store is enough.
 */
public final class Leasehold implements AutoCloseable {
    private final Leases leases;

    private Leasehold(Leases leases) {
        this.leases = leases;
    }

    /** Leasehold on this store, with the usual settings. */
    public static Leasehold on(LeaseStore store) {
        return new Leasehold(Leases.on(store));
    }

    /** Leasehold with a client whose settings were chosen with {@link Leases#builder}. */
    public static Leasehold with(Leases leases) {
        return new Leasehold(leases);
    }

    /** Locks that renew themselves, tell when they are lost, and carry a fence. */
    public Leases leases() {
        return leases;
    }

    /** Names that only one can have. */
    public UniqueNames names() {
        return UniqueNames.on(leases);
    }

    /**
     * A run of this key: {@code once(key, spec).run(work)} does the work once, whoever asks and however often, and gives
     * later callers the same answer.
     */
    public <R> Once<R> once(Key key, RunSpec<R> spec) {
        return Once.on(leases, key, spec);
    }

    /** Work that one does at a time, and after which its key stays closed for this long to those who respect it. */
    public Cooldown cooldown(Key key, Duration length) {
        return Cooldown.on(leases, key, length);
    }

    /** Closes the client, not the store. */
    @Override
    public void close() {
        leases.close();
    }
}
