package dev.leasehold.wire;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hears what other nodes tell this one, on a thread and a connection of its own. It connects once somebody wants to be
 * told, since most processes never wait for a lease. A connection that breaks is made anew; what was told meanwhile is
 * lost, and found by polling. Safe for use by many threads.
 */
public final class Listener implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger("dev.leasehold.wire");
    private static final long PAUSE_NANOS = 500_000_000;

    private final String server;
    private final Supplier<? extends Channel> channels;
    private final WakeUps wakeUps;
    private final Duration atMost;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Beginning first;
    private volatile @Nullable Channel channel;
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
     * @param atMost how long the first channel may take until it is open
     */
    public Listener(String server, Supplier<? extends Channel> channels, WakeUps wakeUps, Duration atMost) {
        this.server = server;
        this.channels = channels;
        this.wakeUps = wakeUps;
        this.atMost = atMost;
    }

    /**
     * Whether this node can be told; if not, callers poll more often. The first call connects, and does so on another
     * thread, since the calling one may be in a transaction that a framework has bound to it.
     */
    public boolean isListening() {
        lock.lock();
        try {
            Beginning begun = first == null ? begin() : first;
            Throwable failure = begun.awaitOpen(atMost);
            if (failure == null) {
                return true;
            }
            first = null;
            end();
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "No wake-ups from {0}, so callers in line poll more often: {1}",
                    server,
                    failure);
            return false;
        } finally {
            lock.unlock();
        }
    }

    private Beginning begin() {
        Beginning begun = new Beginning();
        Thread thread = new Thread(() -> listen(begun), "leasehold-wake-ups");
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            begun.failed(e); // There is no thread for it now; the next caller tries again.
        }
        first = begun;
        return begun;
    }

    /**
     * Whether the first channel was opened. Callers wait by a latch: a {@code CompletableFuture} runs other tasks on a
     * ForkJoin worker that waits for it, and those may want the lock that this one holds.
     */
    private static final class Beginning {
        private final CountDownLatch isDecided = new CountDownLatch(1);
        private volatile @Nullable Throwable failure;

        synchronized void opened() {
            isDecided.countDown();
        }

        synchronized void failed(Throwable cause) {
            if (isDecided.getCount() > 0) {
                failure = cause;
                isDecided.countDown();
            }
        }

        boolean hasFailed() {
            return failure != null;
        }

        /** Waits for as long as this; what went wrong if it is not open then. */
        @Nullable
        Throwable awaitOpen(Duration atMost) {
            long end = System.nanoTime() + atMost.toNanos();
            boolean wasInterrupted = false;
            boolean isOver = false;
            while (!isOver) {
                try {
                    isOver = true;
                    if (!isDecided.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        failed(new TimeoutException("no connection within " + atMost.toMillis() + " ms"));
                    }
                } catch (InterruptedException e) {
                    isOver = false;
                    wasInterrupted = true;
                }
            }
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
            return failure;
        }
    }

    /** Until it is closed, or the first channel could not be had in time. */
    private void listen(Beginning begun) {
        Ear ear = new WakeUpEar(begun);
        while (!isClosed && !begun.hasFailed()) {
            try {
                Channel next = channels.get();
                channel = next;
                next.hear(ear);
            } catch (Exception | Error e) {
                // Also when memory is short for a moment: nobody would start this thread again.
                begun.failed(e);
                LOGGER.log(System.Logger.Level.DEBUG, "Wake-ups from {0} are interrupted: {1}", server, e.getMessage());
            }
            if (!isClosed && !begun.hasFailed()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private final class WakeUpEar implements Ear {
        private final Beginning begun;

        WakeUpEar(Beginning begun) {
            this.begun = begun;
        }

        @Override
        public boolean isOpen() {
            begun.opened();
            return !isClosed && !begun.hasFailed();
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
            Carriers.run(
                    examined -> {
                        examined.examine();
                        return true;
                    },
                    present);
        }
    }

    private void end() {
        Channel present = channel;
        if (present != null) {
            present.end();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        end();
    }
}
