package dev.leasehold.tck.proxy;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The threads and sockets of one proxy, so that none outlives it. Thread-safe. */
final class Resources {
    private static final long LONGEST_JOIN_MILLIS = 5_000;

    private final Set<Thread> threads = new HashSet<>();
    private final Set<Closeable> open = new HashSet<>();
    private boolean closed;

    /** False, and the resource closed, if the proxy is closed. */
    boolean add(Closeable resource) throws IOException {
        synchronized (this) {
            if (!closed) {
                open.add(resource);
                return true;
            }
        }
        resource.close();
        return false;
    }

    synchronized void remove(Closeable resource) {
        open.remove(resource);
    }

    synchronized List<Closeable> open() {
        return List.copyOf(open);
    }

    synchronized boolean isClosed() {
        return closed;
    }

    synchronized void start(String name, Runnable work) {
        if (closed) {
            return;
        }
        Thread thread = new Thread(() -> runAndForget(work), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void runAndForget(Runnable work) {
        try {
            work.run();
        } finally {
            synchronized (this) {
                threads.remove(Thread.currentThread());
            }
        }
    }

    /** Closes every socket, calls {@code wake} for threads that wait for something else, and waits for them all. */
    void close(Runnable wake) {
        List<Thread> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(threads);
        }
        open().forEach(Resources::closeQuietly);
        wake.run();
        long start = System.nanoTime();
        try {
            for (Thread thread : left) {
                long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                thread.join(Math.max(1, LONGEST_JOIN_MILLIS - passed));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void closeQuietly(Closeable resource) {
        try {
            resource.close();
        } catch (IOException e) {
            // It was to go and is gone.
        }
    }
}
