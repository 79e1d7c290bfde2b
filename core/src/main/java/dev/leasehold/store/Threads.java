package dev.leasehold.store;

/** Threads of ours, which serve many callers, and so must not take over what belongs to the one that needed them first. */
public final class Threads {
    private Threads() {}

    /**
     * A daemon thread, not started yet, that inherits no variables: a framework may keep the caller's user or transaction in
     * one. The thread has the caller's class loader, by which drivers find their parts.
     */
    public static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.setDaemon(true);
        return thread;
    }
}
