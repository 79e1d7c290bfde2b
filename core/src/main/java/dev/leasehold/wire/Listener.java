package dev.leasehold.wire;

import dev.leasehold.store.Threads;
import dev.leasehold.store.Uninterrupted;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hears what other nodes tell this one, on a thread and a connection of its own. It connects once somebody wants to be
 * told, since most processes never wait for a lease. A connection that cannot be had or breaks is tried again, at growing
 * intervals; what was told meanwhile is lost, and found by polling. Safe for use by many threads.
 */
public final class Listener implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.wire");
    private static final long PAUSE_NANOS = 500_000_000;
    private static final long LONGEST_PAUSE_NANOS = 8 * PAUSE_NANOS;

    private final String server;
    private final Supplier<? extends Channel> channels;
    private final WakeUps wakeUps;
    private final Duration atMost;
    private final AtomicBoolean isBegun = new AtomicBoolean();
    private final CountDownLatch firstAttempt = new CountDownLatch(1);
    private volatile @Nullable Thread thread;
    private volatile @Nullable Channel channel;
    private volatile boolean isOpen;
    private volatile boolean wasOpen;
    private volatile boolean isClosed;

    /** One connection by which a node is told, as long as it lasts. */
    public interface Channel {
        /**
         * Connects, subscribes, says so, and passes on what is told. Returns or throws when it is over, and leaves nothing
         * open.
         */
        void hear(Ear ear) throws Exception;

        /**
         * Somebody waits, and relies on being told. A connection can be dead without a word, so the channel should make
         * sure from time to time that it is not, and end if it is.
         */
        void examine();

        /** Makes {@link #hear} end, from another thread. */
        void end();
    }

    /** Whom a channel tells. */
    public interface Ear {
        /**
         * From now on, everything is heard.
         *
         * @return whether anybody still wants to
         */
        boolean isOpen();

        /** A message of another node, as {@link WakeUps} writes it. */
        void told(String message);
    }

    /**
     * @param server its name, for people
     * @param channels opens nothing yet
     * @param atMost how long the first caller waits for the first channel
     */
    public Listener(String server, Supplier<? extends Channel> channels, WakeUps wakeUps, Duration atMost) {
        this.server = server;
        this.channels = channels;
        this.wakeUps = wakeUps;
        this.atMost = atMost;
    }

    /**
     * Whether this node can be told; if not, callers poll more often. The first call connects, and does so on another
     * thread, since the calling one may be in a transaction that a framework has bound to it. It waits until the first
     * attempt is over, but not longer than was said. Later calls do not wait: if the first attempt failed, the other thread
     * goes on trying.
     */
    public boolean isListening() {
        if (!isClosed && isBegun.compareAndSet(false, true) && !start()) {
            return false;
        }
        awaitFirstAttempt();
        return wasOpen;
    }

    /** Starts the thread that listens; false if there is none to be had. */
    private boolean start() {
        try {
            Thread begun = Threads.daemon("leasehold-wake-ups", this::listen);
            begun.start();
            thread = begun;
            return true;
        } catch (OutOfMemoryError e) {
            isBegun.set(false); // There is no thread for it now; the next caller tries again.
            tell(e);
            return false;
        }
    }

    /** An interrupt of the calling thread does not end the wait; the flag stays. */
    private void awaitFirstAttempt() {
        if (isClosed) {
            return;
        }
        long end = System.nanoTime() + atMost.toNanos();
        boolean isInTime = Uninterrupted.await(() -> firstAttempt.await(end - System.nanoTime(), TimeUnit.NANOSECONDS));
        if (!isInTime) {
            tell(new TimeoutException("no connection within " + atMost.toMillis() + " ms"));
            firstAttempt.countDown();
        }
    }

    /** Until it is closed. */
    private void listen() {
        Ear ear = new WakeUpEar();
        long pauseNanos = PAUSE_NANOS;
        while (!isClosed) {
            isOpen = false;
            try {
                Channel next = channels.get();
                channel = next;
                next.hear(ear);
            } catch (Exception | Error e) {
                // Also when memory is short for a moment: nobody would start this thread again.
                tell(e);
            }
            firstAttempt.countDown();
            pauseNanos = isOpen ? PAUSE_NANOS : pauseNanos;
            if (!isClosed) {
                LockSupport.parkNanos(pauseNanos);
            }
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
    }

    private void tell(Throwable failure) {
        if (firstAttempt.getCount() == 0) {
            LOGGER.log(
                    System.Logger.Level.DEBUG, "Wake-ups from {0} are interrupted: {1}", server, failure.getMessage());
        } else if (!isClosed) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "No wake-ups from {0} yet, so callers in line poll more often until it can be reached: {1}",
                    server,
                    failure);
        }
    }

    private final class WakeUpEar implements Ear {
        @Override
        public boolean isOpen() {
            isOpen = true;
            wasOpen = true;
            firstAttempt.countDown();
            return !isClosed;
        }

        @Override
        public void told(String message) {
            try {
                WakeUps.parse(message).ifPresent(wakeUps::tell);
            } catch (RuntimeException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "A wake-up could not be read", e);
            }
        }
    }

    /** Somebody waits, and relies on being told. */
    public void examine() {
        Channel present = channel;
        if (present != null) {
            present.examine();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        Channel present = channel;
        if (present != null) {
            present.end();
        }
        LockSupport.unpark(thread);
    }
}
