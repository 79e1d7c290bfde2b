package dev.leasehold.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Work on a connection of the user's source that must not be the caller's: a framework may give a thread the connection
 * of the transaction that the thread is in, which is not ours to change or to commit.
 */
final class OwnThread {
    private OwnThread() {}

    /** Does the work on a thread of its own if the source is the user's, and waits for it. */
    static <T> T call(DataSource source, Supplier<T> work) {
        if (source instanceof UrlDataSource) {
            return work.get();
        }
        try {
            return CompletableFuture.supplyAsync(work, task -> new Thread(task, "leasehold-connect").start())
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
