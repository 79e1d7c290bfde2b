package dev.leasehold.faults;

import dev.leasehold.lease.Acquisition;
import dev.leasehold.lease.Lease;
import dev.leasehold.lease.LeaseEvent;
import dev.leasehold.lease.LeaseException;
import dev.leasehold.lease.LeaseOptions;
import dev.leasehold.lease.ReleaseOutcome;
import dev.leasehold.lease.RetryPolicy;
import dev.leasehold.once.Codec;
import dev.leasehold.once.Once;
import dev.leasehold.once.Outcome;
import dev.leasehold.once.RunSpec;
import dev.leasehold.store.Key;
import dev.leasehold.store.StoreException;
import dev.leasehold.store.Subscription;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a worker does in one cell: turn after turn on a thread of its own, one lease at a time. It tries or waits in
 * line, checks, writes with its fence, holds for a moment or for longer than a TTL, and gives back; now and then it runs
 * something once. When all is calm it ends what it is at, waits for its turn, and goes on at leisure. Whatever happens
 * is noted.
 */
final class Shift implements Runnable {
    static final Duration TTL = Duration.ofSeconds(2);
    static final int KEYS = 4;
    /** The key that most want, so that somebody is always there who would notice. It is held briefly. */
    static final int HOT = KEYS - 1;

    /** Longer than most faults last, so that calls live through them. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration SHORT_LIMIT = Duration.ofSeconds(1);
    /** More eager than the default, as the TTL is shorter. */
    private static final RetryPolicy RETRY = new RetryPolicy(Duration.ofMillis(100), 2, Duration.ofMillis(400), 5);

    private static final long RUN_PERIOD_NANOS = 400_000_000;
    private static final String RUN = "/run/";
    private static final int NOBODY = -1;

    private final Worker.Workplace workplace;
    private final int number;
    private final String client;
    private final String prefix;
    private final RandomGenerator random;
    private final LeaseOptions trying;
    private final LeaseOptions waiting;
    private final Notes notes;
    private final Thread thread = new Thread(this, "shift");
    private final Map<String, Lease> held = new ConcurrentHashMap<>();
    private volatile int clingsTo = NOBODY;
    private volatile boolean isCalm;
    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;
    private boolean hasBegun;
    private boolean hasHadTurn;

    private Shift(
            Worker.Workplace workplace, int number, String client, String prefix, RandomGenerator random, Notes notes) {
        this.workplace = workplace;
        this.number = number;
        this.client = client;
        this.prefix = prefix;
        this.random = random;
        this.notes = notes;
        this.trying = options(LeaseOptions.noWait(), number);
        this.waiting = options(LeaseOptions.waitFor(PATIENCE), number);
    }

    /** With the default limit a client calls many stores on its own thread, with a short one on another. */
    private static LeaseOptions options(LeaseOptions base, int number) {
        LeaseOptions options = base.withTtl(TTL).withRetry(RETRY);
        return number % 2 == 0 ? options : options.withAttemptLimit(SHORT_LIMIT);
    }

    static Shift begin(Worker.Workplace workplace, int number, String client, String prefix, long seed, Path history)
            throws IOException {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed + number);
        Shift shift = new Shift(workplace, number, client, prefix, random, new Notes(client, history));
        shift.thread.setDaemon(true);
        shift.thread.start();
        return shift;
    }

    static Key key(String prefix, int number) {
        return Key.of(prefix + "/k" + number);
    }

    static boolean isRun(Key key) {
        return key.value().contains(RUN);
    }

    void called(Key key, String nonce) {
        notes.note(Kind.CALLED, key.value(), nonce, 0);
    }

    void cling(int key) {
        clingsTo = key;
    }

    void calm() {
        isCalm = true;
    }

    /** Waits for the end of the present turn. */
    String end() throws InterruptedException {
        isOver = true;
        thread.join();
        return failure == null ? "ended" : "ended with " + failure;
    }

    @Override
    public void run() {
        Subscription listening = workplace.leases().onEvent(this::heard);
        try {
            while (!isOver) {
                turn();
            }
        } catch (Exception | Error e) {
            e.printStackTrace();
            failure = e;
        } finally {
            listening.close();
            try {
                notes.close();
            } catch (IOException e) {
                failure = e;
            }
        }
    }

    private void heard(LeaseEvent event) {
        Lease lease = held.get(event.source().leaseId());
        if (lease == null) {
            return;
        }
        if (event instanceof LeaseEvent.Renewed) {
            notes.holds(Kind.RENEWED, lease);
        } else if (event instanceof LeaseEvent.Lost) {
            notes.note(Kind.LOST, lease);
        }
    }

    private void turn() throws Exception {
        if (hasHadTurn) {
            pause(50);
        }
        if (clingsTo != NOBODY && !isCalm) {
            cling();
        } else if (!hasBegun) {
            beginWork();
        } else if (!isCalm && random.nextInt(100) < 8) {
            runOnce();
        } else {
            work();
        }
    }

    /** With the first turn of the crew every key is written, whatever the dice say later. */
    private void beginWork() throws Exception {
        hasBegun = true;
        work(number % KEYS, waiting, brief());
    }

    private void work() throws Exception {
        boolean waits = isCalm || random.nextInt(3) > 0;
        boolean isHot = random.nextInt(3) > 0;
        work(isHot ? HOT : random.nextInt(HOT), waits ? waiting : trying, isHot ? brief() : length());
    }

    private void work(int key, LeaseOptions options, long nanos) throws Exception {
        Optional<Lease> lease = acquire(key(prefix, key), options);
        if (lease.isPresent()) {
            workUntil(lease.get(), System.nanoTime() + nanos);
        } else {
            pause(20);
        }
    }

    private long brief() {
        return random.nextLong(5_000_000, 40_000_000);
    }

    /** Mostly brief; now and then longer than a TTL. */
    private long length() {
        int kind = random.nextInt(100);
        if (kind < 70) {
            return brief();
        }
        return kind < 95 ? random.nextLong(50_000_000, 400_000_000) : TTL.toNanos() * 6 / 5;
    }

    private void cling() throws Exception {
        Optional<Lease> lease = acquire(key(prefix, clingsTo), waiting);
        if (lease.isPresent()) {
            clingsTo = NOBODY;
            Worker.say("clinging");
            workUntil(lease.get(), Long.MAX_VALUE);
        }
    }

    private Optional<Lease> acquire(Key key, LeaseOptions asked) throws InterruptedException {
        try {
            Acquisition acquisition = workplace.leases().acquire(key, asked);
            if (acquisition instanceof Acquisition.Acquired acquired) {
                Lease lease = acquired.lease();
                held.put(lease.id(), lease);
                notes.holds(Kind.ACQUIRED, lease);
                tellTurn();
                return Optional.of(lease);
            }
            notes.note(Kind.REFUSED, key.value(), workplace.store().latest(key), 0);
        } catch (LeaseException e) {
            notes.note(Kind.UNKNOWN, key.value(), workplace.store().latest(key), 0);
        }
        return Optional.empty();
    }

    private void tellTurn() {
        if (isCalm && !hasHadTurn) {
            hasHadTurn = true;
            Worker.say("turn " + System.nanoTime());
        }
    }

    private void workUntil(Lease lease, long end) throws Exception {
        boolean isOurs = true;
        do {
            isOurs = mayGoOn(lease);
            // Between check and write anything may happen, so it writes whatever the check said: the fence must do.
            workplace
                    .resource()
                    .write(client, lease.key().value(), lease.fence().value());
            if (isOurs) {
                pause(random.nextInt(5, 30));
            }
        } while (isOurs && System.nanoTime() < end && !isOver && !isCalm);
        giveBack(lease);
    }

    private boolean mayGoOn(Lease lease) {
        try {
            lease.ensure();
            notes.holds(Kind.RENEWED, lease);
            return true;
        } catch (LeaseException e) {
            return false;
        }
    }

    private void giveBack(Lease lease) {
        if (!lease.state().isFinal()) {
            notes.note(Kind.RELEASING, lease);
        }
        if (lease.release() == ReleaseOutcome.RELEASED) {
            notes.note(Kind.RELEASED, lease);
        }
        held.remove(lease.id());
    }

    /** All workers come to the same run in the same while. */
    private void runOnce() throws Exception {
        Key key = Key.of(prefix + RUN + System.nanoTime() / RUN_PERIOD_NANOS);
        RunSpec<String> spec =
                RunSpec.of(Codec.utf8()).withLeaseTtl(TTL).waitingFor(PATIENCE).withRetry(RETRY);
        try {
            Outcome<String> outcome = Once.on(workplace.leases(), key, spec).run(run -> {
                pause(random.nextInt(5, 30));
                return client;
            });
            if (outcome instanceof Outcome.Ran<String> ran) {
                notes.note(Kind.ANSWERED, key.value(), "", ran.fence().value());
            } else if (outcome instanceof Outcome.Replayed<String> replayed) {
                notes.note(Kind.ANSWERED, key.value(), "", replayed.fence().value());
            }
        } catch (LeaseException | StoreException e) {
            // The store did not answer; the next turn asks again.
            pause(20);
        }
    }

    private static void pause(int millis) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(millis);
    }
}
