package dev.leasehold.lease;

import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.Micros;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.StoreUnsupportedException;
import java.time.Duration;
import java.util.Random;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Settings of {@link Leases} that are the same for all its leases. */
public final class LeasesBuilder {
    final LeaseStore store;
    Clockwork clockwork = SystemClockwork.shared();
    Owner owner = thisProcess();
    Supplier<Nonce> ids = RandomIds.INSTANCE;
    RandomGenerator random;
    Settings settings = Settings.DEFAULTS;
    boolean isLogging = true;
    boolean isKeepingHistory;
    boolean areListenersFirst;
    boolean isClosedAtExit = true;

    LeasesBuilder(LeaseStore store) {
        this.store = store;
        Nonce seed = ids.get();
        this.random = new Random(seed.high());
    }

    private static Owner thisProcess() {
        return Owner.of(ThisProcess.NAME);
    }

    /** Who is said to hold leases unless a call says otherwise; by default the process and host. */
    public LeasesBuilder owner(Owner label) {
        this.owner = label;
        return this;
    }

    /** Time and threads, for tests that move time by hand. */
    public LeasesBuilder clockwork(Clockwork other) {
        this.clockwork = other;
        return this;
    }

    /** Chance, for tests that replay it: nonces, and the jitter of delays. */
    public LeasesBuilder random(RandomGenerator seeded) {
        this.random = seeded;
        this.ids = () -> new Nonce(seeded.nextLong(), seeded.nextLong());
        return this;
    }

    /**
     * How much of each lease is kept back because the store's clock may run faster than ours; by default 0.4 %, and 50
     * ms at least. Less makes two holders at once possible.
     */
    public LeasesBuilder margin(double drift, Duration least) {
        if (!(drift >= 0 && drift < 1) || least.isNegative()) {
            throw new IllegalArgumentException("The margin must be a share below 1 and a time of at least 0, not "
                    + drift + " and " + least + ".");
        }
        this.settings = settings.withMargin(drift, least);
        return this;
    }

    /**
     * How long records of released keys and answers past their retention are kept before this client purges them from
     * the store; by default 7 days. {@link Micros#FOREVER} for never. Fences go on growing without the record unless
     * the store's clock is set back by more than this. A lock delay ends with the record, so it must not be longer.
     */
    public LeasesBuilder retaining(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("The time to retain must not be negative: " + time + ".");
        }
        this.settings = settings.withRetained(time);
        return this;
    }

    /**
     * Writes what happens to leases of this client into the store's history, and drops entries older than this from it
     * about once an hour; {@link Micros#FOREVER} for never. By default nothing is written.
     *
     * <p>Entries are written a moment later, many at once, on a thread of their own: no lease waits for them. A client
     * that dies takes the last ones with it, and one whose store cannot keep up drops some and says how many.
     */
    public LeasesBuilder keepingHistory(Duration age) {
        if (age.isNegative() || age.isZero()) {
            throw new IllegalArgumentException("The age of history must be positive: " + age + ".");
        }
        this.settings = settings.withRemembered(age);
        this.isKeepingHistory = true;
        return this;
    }

    /** Writes nothing to the log; events tell it all. */
    public LeasesBuilder withoutLog() {
        this.isLogging = false;
        return this;
    }

    /**
     * Leaves the end of the process to the application, which closes this client itself, for example after it has given its
     * tasks time to end. By default the client closes itself when the process is told to end, and gives work under a lease two
     * seconds. If the process ends and nobody has closed the client, its leases stay until their TTL is over.
     */
    public LeasesBuilder withoutShutdownHook() {
        this.isClosedAtExit = false;
        return this;
    }

    /**
     * Tells listeners of an event before the call that caused it returns, or its future is completed; and the times of the
     * events never go back, even if the wall clock is set. A listener that blocks keeps such calls waiting, for a second
     * each at most if it is busy with an earlier event. Listeners are told on callback threads, of which there are 1,000 in a
     * process. If all are busy for a second, the call returns and its events are told later. By default calls do not wait
     * for listeners.
     */
    public LeasesBuilder listenersFirst() {
        this.areListenersFirst = true;
        return this;
    }

    /**
     * The client.
     *
     * @throws StoreUnsupportedException if history was asked for and the store keeps none
     */
    public Leases build() {
        return new Leases(this);
    }
}
