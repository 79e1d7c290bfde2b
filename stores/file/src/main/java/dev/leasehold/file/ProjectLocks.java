package dev.leasehold.file;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Clockwork;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseLostException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnsupportedException;
import dev.leasehold.store.Subscription;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one project folder: one for each {@link Scope}, independent of each other.
 *
 * <p>A lock is an operating-system lock on {@code .os-lock} in the folder ({@code .os-lock-history} for the history). It
 * never expires, and the system frees it when its process dies. Where the file system has no such locks, it is a file
 * {@code .lock} ({@code .lock-history}) that is there while the lock is held, expires 30 s after its last renewal and is
 * renewed at 20 s. The first acquire decides, for both scopes. No other file of the folder is written.
 *
 * <p>A lock that another holder has is asked for again after 0.5, 1, 2 and 4 s, unless the caller brings a
 * {@link RetryPolicy} of its own, and then refused as {@code lock-unavailable}. One attempt takes at most 10 s; one that
 * gets no answer in that time counts as contended too. A renewal that fails is tried again after the same delays; after five failures in a row, or one that says that renewing cannot
 * succeed, the lock is lost.
 *
 * <p>Listeners are told what happens to the locks of both scopes in one order, see {@link #onEvent}. Safe for many threads.
 */
public final class ProjectLocks implements AutoCloseable {
    /** The part of a project that a lock guards. Its name is the key of the lock's leases and the scope of its events. */
    public enum Scope {
        AUTOSAVE(""),
        HISTORY("-history");

        private final String suffix;

        Scope(String suffix) {
            this.suffix = suffix;
        }

        public Key key() {
            return Key.of(name().toLowerCase(Locale.ROOT));
        }
    }

    private static final LeaseOptions OPTIONS = LeaseOptions.defaults()
            .withTtl(Duration.ofSeconds(30))
            .withRenewEvery(Duration.ofSeconds(20))
            .withRenewalRetry(RetryPolicy.DEFAULT)
            .countingTimeOutsAsContention();

    private final LeaseStore store;
    private final Leases leases;

    /**
     * The locks of the project in this folder.
     *
     * @throws StoreException if the folder does not exist
     * @throws StoreUnsupportedException if the folder is on a network file system
     */
    public static ProjectLocks in(Path folder) {
        return on(store(folder, Machine.here()));
    }

    static ProjectLocks on(LeaseStore store) {
        return new ProjectLocks(store, Leases.builder(store));
    }

    static ProjectLocks on(LeaseStore store, Clockwork clockwork) {
        return new ProjectLocks(
                store, Leases.builder(store).clockwork(clockwork).withoutLog());
    }

    private ProjectLocks(LeaseStore store, LeasesBuilder builder) {
        this.store = store;
        this.leases = builder.listenersFirst().build();
    }

    static LeaseStore store(Path folder, Machine machine) {
        check(folder, machine);
        Map<Scope, OneKeyStore> primary = new EnumMap<>(Scope.class);
        Map<Scope, OneKeyStore> fallback = new EnumMap<>(Scope.class);
        for (Scope scope : Scope.values()) {
            Path osLock = folder.resolve(".os-lock" + scope.suffix);
            primary.put(scope, new OsLockStore(osLock, scope.key(), machine, false));
            Path lockFile = folder.resolve(".lock" + scope.suffix);
            fallback.put(scope, new LockFileStore(lockFile, scope.key(), machine, false));
        }
        return FallbackLeaseStore.of(new StorePerKey(primary.values()), new StorePerKey(fallback.values()));
    }

    private static void check(Path folder, Machine machine) {
        if (!Files.exists(folder)) {
            throw new StoreException("The project folder " + folder + " does not exist. Create it first.");
        }
        if (!Files.isDirectory(folder)) {
            throw new StoreException(
                    "The project folder " + folder + " is not a folder. Name the folder of the project.");
        }
        if (machine.kinds().apply(folder.toAbsolutePath()) == FileSystemKind.SHARED) {
            throw new StoreUnsupportedException("The project folder " + folder + " is on a network file system, where"
                    + " ProjectLocks cannot tell whether a holder is alive. Move it to a local disk, or keep the lock in"
                    + " a database.");
        }
    }

    /** The same as {@link #acquire(Scope, RetryPolicy)} for {@link Scope#AUTOSAVE}, with the usual policy. */
    public Acquisition acquire() throws InterruptedException {
        return acquire(Scope.AUTOSAVE, RetryPolicy.DEFAULT);
    }

    /** The same as {@link #acquire(Scope, RetryPolicy)} with the usual policy. */
    public Acquisition acquire(Scope scope) throws InterruptedException {
        return acquire(scope, RetryPolicy.DEFAULT);
    }

    /**
     * Acquires the lock, asking again by the policy while another holder has it. The caller must release it.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; no lock is left behind then
     * @throws LeaseException with code {@code lock-unavailable} if the file system gives no usable answer
     */
    public Acquisition acquire(Scope scope, RetryPolicy retry) throws InterruptedException {
        return leases.acquire(scope.key(), OPTIONS.withRetry(retry));
    }

    /** The same as {@link #acquireAsync(Scope, RetryPolicy)} for {@link Scope#AUTOSAVE}, with the usual policy. */
    public CompletableFuture<Acquisition> acquireAsync() {
        return acquireAsync(Scope.AUTOSAVE, RetryPolicy.DEFAULT);
    }

    /** The same as {@link #acquireAsync(Scope, RetryPolicy)} with the usual policy. */
    public CompletableFuture<Acquisition> acquireAsync(Scope scope) {
        return acquireAsync(scope, RetryPolicy.DEFAULT);
    }

    /** Acquires without holding up the caller. Cancelling the future gives up waiting and leaves no lock behind. */
    public CompletableFuture<Acquisition> acquireAsync(Scope scope, RetryPolicy retry) {
        return leases.acquireAsync(scope.key(), OPTIONS.withRetry(retry));
    }

    /** The same as {@link #with(Scope, RetryPolicy, Leases.Work)} for {@link Scope#AUTOSAVE}, with the usual policy. */
    public <T extends @Nullable Object, X extends Exception> T with(Leases.Work<T, X> work)
            throws X, InterruptedException {
        return with(Scope.AUTOSAVE, RetryPolicy.DEFAULT, work);
    }

    /** The same as {@link #with(Scope, RetryPolicy, Leases.Work)} with the usual policy. */
    public <T extends @Nullable Object, X extends Exception> T with(Scope scope, Leases.Work<T, X> work)
            throws X, InterruptedException {
        return with(scope, RetryPolicy.DEFAULT, work);
    }

    /**
     * Does the work under the lock and always releases it. The last event is {@code lock:released} or
     * {@code lock:cleanup-warning}, however the work ended; if the lock was lost, {@code lock:lost} came before.
     *
     * @throws LeaseException with code {@code lock-unavailable} if the lock was not acquired
     * @throws LeaseLostException if the lock was lost before the work ended and no call has told the work; the work's
     *     value is dropped then
     * @throws X whatever the work throws
     */
    public <T extends @Nullable Object, X extends Exception> T with(
            Scope scope, RetryPolicy retry, Leases.Work<T, X> work) throws X, InterruptedException {
        return leases.with(scope.key(), OPTIONS.withRetry(retry), work);
    }

    /** The same as {@link #withAsync(Scope, RetryPolicy, Function)} for {@link Scope#AUTOSAVE}, with the usual policy. */
    public <T extends @Nullable Object> CompletableFuture<T> withAsync(
            Function<Lease, ? extends CompletionStage<T>> work) {
        return withAsync(Scope.AUTOSAVE, RetryPolicy.DEFAULT, work);
    }

    /** The same as {@link #withAsync(Scope, RetryPolicy, Function)} with the usual policy. */
    public <T extends @Nullable Object> CompletableFuture<T> withAsync(
            Scope scope, Function<Lease, ? extends CompletionStage<T>> work) {
        return withAsync(scope, RetryPolicy.DEFAULT, work);
    }

    /**
     * The same as {@link #with(Scope, RetryPolicy, Leases.Work)}, without holding up the caller; see
     * {@link Leases#withAsync}.
     */
    public <T extends @Nullable Object> CompletableFuture<T> withAsync(
            Scope scope, RetryPolicy retry, Function<Lease, ? extends CompletionStage<T>> work) {
        return leases.withAsync(scope.key(), OPTIONS.withRetry(retry), work);
    }

    /**
     * Tells the listener everything that happens to locks of this object, in order of time, until the subscription ends.
     * A call returns after its listeners have heard of it. It waits at most 1 s for a listener that is busy with an earlier
     * event. A listener that throws harms nobody; one that blocks keeps calls waiting, but no renewal.
     */
    public Subscription onEvent(Consumer<LeaseEvent> listener) {
        return leases.onEvent(listener);
    }

    /** Releases the locks that no work runs under; see {@link Leases#close()}. */
    @Override
    public void close() {
        try {
            leases.close();
        } finally {
            store.close();
        }
    }
}
