package dev.leasehold.benchmarks;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The floor of keeping leases: all of them are renewed at once after a third of their time, with as few statements as
 * the store allows.
 */
final class FloorKeeper implements Worker.Keeper {
    private final Renewals renewals;
    private final Cell cell;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final AtomicLong lost = new AtomicLong();
    private Future<?> renewing = CompletableFuture.completedFuture(null);
    private int kept;

    FloorKeeper(Renewals renewals, Cell cell) {
        this.renewals = renewals;
        this.cell = cell;
    }

    /** Leases that all have the same nonce. */
    interface Renewals extends AutoCloseable {
        /** Makes them, by whatever means. */
        void take(List<String> keys) throws Exception;

        /** Gives how many there still were. */
        int renew(List<String> keys) throws Exception;

        @Override
        void close() throws SQLException;
    }

    @Override
    public void keep(List<String> keys) throws Exception {
        renewals.take(keys);
        long period = cell.ttl().toMillis() / 3;
        kept = keys.size();
        renewing = clock.scheduleAtFixedRate(() -> renew(keys), period, period, TimeUnit.MILLISECONDS);
    }

    private void renew(List<String> keys) {
        int renewed = 0;
        try {
            renewed = renewals.renew(keys);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            lost.set(keys.size() - renewed);
        }
    }

    @Override
    public long lost() {
        // A renewal that failed was the last.
        return renewing.isDone() ? kept : lost.get();
    }

    @Override
    public void close() throws SQLException {
        clock.shutdownNow();
        renewals.close();
    }
}
