package dev.leasehold.faults;

import dev.leasehold.store.Key;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a client of another library does in a cell: the same as a {@link Shift}, with what it has. It renews by hand every
 * third of the TTL, and thinks itself the holder until it releases or is told otherwise. In place of a fence, which it
 * does not have, its writes carry the moment at which it was given the lock.
 */
final class PeerShift implements Runnable {
    private static final int NOBODY = -1;

    private final Peer peer;
    private final ResourceClient resource;
    private final String client;
    private final String prefix;
    private final RandomGenerator random;
    private final Notes notes;
    private final Thread thread = new Thread(this, "shift");
    private volatile int clingsTo = NOBODY;
    private volatile boolean isCalm;
    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;
    private boolean hasHadTurn;

    private PeerShift(
            Peer peer, ResourceClient resource, String client, String prefix, RandomGenerator random, Notes notes) {
        this.peer = peer;
        this.resource = resource;
        this.client = client;
        this.prefix = prefix;
        this.random = random;
        this.notes = notes;
    }

    static PeerShift begin(Peer peer, ResourceClient resource, String client, String prefix, long seed, Notes notes) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed + client.hashCode());
        PeerShift shift = new PeerShift(peer, resource, client, prefix, random, notes);
        shift.thread.setDaemon(true);
        shift.thread.start();
        return shift;
    }

    void cling(int key) {
        clingsTo = key;
    }

    void calm() {
        isCalm = true;
    }

    String end() throws InterruptedException {
        isOver = true;
        thread.join();
        return failure == null ? "ended" : "ended with " + failure;
    }

    @Override
    public void run() {
        try (notes) {
            while (!isOver) {
                turn();
            }
        } catch (Exception | Error e) {
            e.printStackTrace();
            failure = e;
        }
    }

    private void turn() throws Exception {
        boolean clings = clingsTo != NOBODY && !isCalm;
        boolean isHot = random.nextInt(3) > 0;
        int number = clings ? clingsTo : isHot ? Shift.HOT : random.nextInt(Shift.HOT);
        Key key = Shift.key(prefix, number);
        Optional<Peer.Hold> hold = acquire(key);
        if (hold.isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(30);
            return;
        }
        long fence = System.nanoTime() / 1_000;
        notes.holdsForEver(key.value(), fence);
        tellTurn();
        if (clings) {
            clingsTo = NOBODY;
            Worker.say("clinging");
        }
        long end = clings ? Long.MAX_VALUE : System.nanoTime() + random.nextLong(5_000_000, 40_000_000);
        boolean isOurs = workUntil(hold.get(), key, fence, end);
        notes.note(isOurs ? Kind.RELEASING : Kind.LOST, key.value(), Long.toString(fence), fence);
        release(hold.get());
    }

    private Optional<Peer.Hold> acquire(Key key) {
        try {
            return peer.tryAcquire(key.value());
        } catch (Exception e) {
            notes.note(Kind.UNKNOWN, key.value(), "", 0);
            return Optional.empty();
        }
    }

    private void tellTurn() {
        if (isCalm && !hasHadTurn) {
            hasHadTurn = true;
            Worker.say("turn " + System.nanoTime());
        }
    }

    /** Whether it still thinks itself the holder. */
    private boolean workUntil(Peer.Hold hold, Key key, long fence, long end) throws IOException, InterruptedException {
        long renewed = System.nanoTime();
        do {
            resource.write(client, key.value(), fence);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(5, 30));
            if (System.nanoTime() - renewed > Shift.TTL.toNanos() / 3) {
                renewed = System.nanoTime();
                if (!renew(hold)) {
                    return false;
                }
            }
        } while (System.nanoTime() < end && !isOver && !(isCalm && end == Long.MAX_VALUE));
        return true;
    }

    /** An error says nothing about who holds the lock; the next try will tell. */
    private static boolean renew(Peer.Hold hold) {
        try {
            return hold.renew();
        } catch (Exception e) {
            return true;
        }
    }

    private static void release(Peer.Hold hold) {
        try {
            hold.release();
        } catch (Exception e) {
            // Nothing more can be done; the lock ends with its TTL.
            return;
        }
    }
}
