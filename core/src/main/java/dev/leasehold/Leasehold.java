package dev.leasehold;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Cooldown;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.once.UniqueNames;
import dev.leasehold.once.Work;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreBuilder;
import dev.leasehold.store.StoreUrl;
import dev.leasehold.store.Stores;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes work run once, on the store the user already has. The entry point: everything else is reached from here.
 *
 * <pre>{@code
 * try (Leasehold leasehold = Leasehold.openOrCreate("sqlite:leases.db")) {
 *     leasehold.runIfFree("nightly", lease -> backUp());                            // skips if another caller is at it
 *     leasehold.runWhenFree("deploy", Duration.ofMinutes(5), lease -> deploy());    // waits for its turn
 *     leasehold.runOnce("report/2026-11", run -> report());                         // later callers get the same answer
 * }
 * }</pre>
 *
 * <p>A plain string is the {@link Key#of(String) key with exactly this text}. A slash in it is a character like any other:
 * {@code "report/2026"} is the key that {@code Key.of("report", "2026")} gives too. If a part comes from outside and may
 * hold a slash, use {@code Key.of(first, second)}, which escapes it.
 *
 * <p>Safe for use by many threads. One per process and store is enough.
 */
public final class Leasehold implements AutoCloseable {
    private final Leases leases;
    /** The store to be closed with this; null if it is the caller's. */
    private final @Nullable LeaseStore owned;

    private Leasehold(Leases leases, @Nullable LeaseStore owned) {
        this.leases = leases;
        this.owned = owned;
    }

    /**
     * Opens the store at this URL, such as {@code sqlite:leases.db}, {@code jdbc:postgresql://host/db?user=…&password=…},
     * {@code redis://host} or {@code file:/var/lib/leases}. {@link #close} closes it.
     *
     * @throws dev.leasehold.store.MissingSchemaException if its tables, or its file, are missing; see
     *     {@link #openOrCreate(String)}
     * @throws dev.leasehold.store.StoreUnavailableException if it cannot be reached now
     * @throws dev.leasehold.store.StoreException if it cannot be used, such as for want of a module or driver, with what
     *     to do about it. Nothing is left open after an exception, and no message has a password in it
     */
    public static Leasehold open(String url) {
        return open(Stores.builder(url));
    }

    /** The same for a parsed URL, which may name a user by {@link StoreUrl#withUser}. */
    public static Leasehold open(StoreUrl url) {
        return open(Stores.builder(url));
    }

    /** Opens the store at this URL, as {@link #open(String)} does, and creates its tables or file if they are missing. */
    public static Leasehold openOrCreate(String url) {
        return open(Stores.builder(url).creatingSchema());
    }

    /** The same for a parsed URL, which may name a user by {@link StoreUrl#withUser}. */
    public static Leasehold openOrCreate(StoreUrl url) {
        return open(Stores.builder(url).creatingSchema());
    }

    private static Leasehold open(StoreBuilder builder) {
        LeaseStore store = builder.open();
        try {
            return new Leasehold(Leases.on(store), store);
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
    }

    /** Leasehold on this store, with the usual settings. The store stays the caller's, who closes it. */
    public static Leasehold on(LeaseStore store) {
        return new Leasehold(Leases.on(store), null);
    }

    /** Leasehold with a client whose settings were chosen with {@link Leases#builder}. Its store stays the caller's. */
    public static Leasehold with(Leases leases) {
        return new Leasehold(leases, null);
    }

    /**
     * Does the work if the key is free, and skips it if not. The lease is renewed while the work runs and given back
     * afterwards in any case.
     *
     * @return whether the work was done; false if another caller holds the key, if the key is cooling down, or if its run
     *     is finished
     * @throws X whatever the work throws
     * @throws dev.leasehold.lease.LeaseLostException if the lease was lost before the work ended; see {@link Lease#close}
     * @throws dev.leasehold.lease.RecordNotFoundException if the user's own record does not exist; nothing was done then
     * @throws dev.leasehold.lease.LeaseException if the store does not answer; nothing was done then
     */
    public <X extends Exception> boolean runIfFree(String key, Leases.Action<X> work) throws X {
        return runIfFree(Key.of(key), work);
    }

    /** The same for a key of several parts. */
    public <X extends Exception> boolean runIfFree(Key key, Leases.Action<X> work) throws X {
        return run(leases.tryAcquire(key), work);
    }

    /**
     * Does the work when the key is free, after waiting in line for at most this long. The lease is renewed while the work
     * runs and given back afterwards in any case.
     *
     * @return whether the work was done; false if another caller held the key, or the key was cooling down, for all that
     *     time, or if its run is finished
     * @throws X whatever the work throws
     * @throws InterruptedException if the thread is interrupted while it waits; nothing was done then
     * @throws dev.leasehold.lease.LeaseLostException if the lease was lost before the work ended; see {@link Lease#close}
     * @throws dev.leasehold.lease.RecordNotFoundException if the user's own record does not exist; nothing was done then
     * @throws dev.leasehold.lease.LeaseException if the store does not answer; nothing was done then
     */
    public <X extends Exception> boolean runWhenFree(String key, Duration longest, Leases.Action<X> work)
            throws X, InterruptedException {
        return runWhenFree(Key.of(key), longest, work);
    }

    /** The same for a key of several parts. */
    public <X extends Exception> boolean runWhenFree(Key key, Duration longest, Leases.Action<X> work)
            throws X, InterruptedException {
        return run(leases.acquire(key, LeaseOptions.waitFor(longest)), work);
    }

    /** A missing record is an error: if the key is misspelt, no later call would do the work either. */
    private static <X extends Exception> boolean run(Acquisition acquisition, Leases.Action<X> work) throws X {
        if (acquisition instanceof Acquisition.Refused refused && refused.answer() instanceof AcquireResult.Missing) {
            throw refused.toException();
        }
        return acquisition.ifAcquired(work);
    }

    /**
     * Does the work once for this key and keeps its text for a day: later callers, on any host, are given the same answer.
     * {@link #once(Key, RunSpec)} has all the settings, and other types of answers.
     *
     * @return the answer, or why there is none yet; see {@link Once#run}
     * @throws Exception whatever the work throws; the next caller tries again then
     */
    public Outcome<String> runOnce(String key, Work<String> work) throws Exception {
        return runOnce(Key.of(key), work);
    }

    /** The same for a key of several parts. */
    public Outcome<String> runOnce(Key key, Work<String> work) throws Exception {
        return once(key, RunSpec.of(Codec.utf8())).run(work);
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
     * A run of this key: {@code once(key, spec).run(work)} does the work once, whichever caller asks and however often, and
     * gives later callers the same answer.
     */
    public <R> Once<R> once(Key key, RunSpec<R> spec) {
        return Once.on(leases, key, spec);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public <R> Once<R> once(String key, RunSpec<R> spec) {
        return once(Key.of(key), spec);
    }

    /** Work that one does at a time, and after which its key stays closed for this long to those who respect it. */
    public Cooldown cooldown(Key key, Duration length) {
        return Cooldown.on(leases, key, length);
    }

    /** The same for {@link Key#of(String) the key with exactly this text}. */
    public Cooldown cooldown(String key, Duration length) {
        return cooldown(Key.of(key), length);
    }

    /**
     * Closes the client, as {@link Leases#close()} does, and then the store if {@link #open} or {@link #openOrCreate} opened
     * it. A store that was handed in stays open. A second time, nothing happens. If another thread closes the client
     * already, this waits for it, so that the store is closed after the last lease was given back.
     */
    @Override
    public void close() {
        try {
            leases.close();
        } finally {
            if (owned != null) {
                owned.close();
            }
        }
    }
}
