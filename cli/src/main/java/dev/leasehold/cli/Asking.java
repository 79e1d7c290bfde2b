package dev.leasehold.cli;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.Leases;
import dev.leasehold.lease.LeasesBuilder;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Opens the store and asks it for the lease, both within a limit. Closing gives back what is not in use. */
final class Asking implements AutoCloseable {
    /** How long the history of a store remembers what commands did. */
    private static final Duration REMEMBERED = Duration.ofDays(90);

    /** How long records are kept that are over; as long as the client of the library does. */
    private static final Duration RETAINED = Duration.ofDays(7);

    private static final int BATCH = 500;

    private final Plan plan;
    private final Purpose purpose;
    private final StoreOptions options;
    private final Patience patience;
    private final Consumer<LeaseEvent> listener;
    private final long start = System.nanoTime();
    private final CompletableFuture<LeaseStore> opening;
    private @Nullable LeaseStore store;
    private @Nullable Leases leases;

    Asking(Plan plan, Purpose purpose, StoreOptions options, Patience patience, Consumer<LeaseEvent> listener) {
        this.plan = plan;
        this.purpose = purpose;
        this.patience = patience;
        this.listener = listener;
        this.options = options;
        this.opening = Soon.start(options::open);
    }

    /**
     * What the store says.
     *
     * @throws StoreUnavailableException if it says nothing in time
     */
    Acquisition answer() throws Patience.StoppedException, InterruptedException {
        try {
            LeaseStore opened = patience.await(opening, options.timeout());
            store = opened;
            LeasesBuilder builder = Leases.builder(opened).owner(plan.owner()).withoutLog();
            Leases client = (opened.history().isPresent() ? builder.keepingHistory(REMEMBERED) : builder).build();
            leases = client;
            client.onEvent(listener);
            Duration limit = Micros.isForever(plan.patience())
                    ? Micros.FOREVER
                    : plan.patience().plus(options.timeout());
            return patience.await(purpose.ask(client, plan), limit);
        } catch (TimeoutException e) {
            throw Soon.tooLate(took(), e);
        } catch (ExecutionException e) {
            throw translated(e.getCause());
        }
    }

    private static RuntimeException translated(@Nullable Throwable cause) {
        if (cause instanceof LeaseException e) {
            return e.getCause() instanceof StoreException inner
                    ? inner
                    : new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
        return Soon.unchecked(cause);
    }

    /**
     * Drops what nobody needs any more from the store, in the background, at one run in twenty: a client that lives for
     * hours does so by itself, but commands from a crontab hardly ever live for so long.
     */
    void tidyNowAndThen() {
        LeaseStore opened = store;
        if (opened == null || ThreadLocalRandom.current().nextInt(20) > 0) {
            return;
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        opened.purge(RETAINED, BATCH);
                        opened.history().ifPresent(history -> history.forget(REMEMBERED, BATCH));
                    } catch (RuntimeException e) {
                        // Another run will do it.
                        return;
                    }
                },
                "leasehold-tidy");
        thread.setDaemon(true);
        thread.start();
    }

    /** How long it took so far. */
    Duration took() {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** The command has ended by now, if there was one: its code must not be lost because of a store. */
    @Override
    public void close() {
        closeQuietly(purpose);
        closeQuietly(leases);
        closeQuietly(store);
    }

    private static void closeQuietly(@Nullable AutoCloseable closeable) {
        try {
            if (closeable != null) {
                closeable.close();
            }
        } catch (Exception e) {
            System.getLogger("dev.leasehold").log(System.Logger.Level.DEBUG, "Not closed", e);
        }
    }
}
