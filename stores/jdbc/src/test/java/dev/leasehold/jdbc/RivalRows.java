package dev.leasehold.jdbc;

import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Progress;
import dev.leasehold.store.State;
import dev.leasehold.store.Tenure;
import dev.leasehold.tck.interleaving.Arena.Detail;
import dev.leasehold.tck.interleaving.Cell;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The user's rows that the matrix is tried on: what they keep of a record, and which cells make sense there. */
enum RivalRows {
    /** Expiry, owner, fence and nonce. */
    EVERYTHING,
    EXPIRY_ONLY,
    SINCE_ONLY,
    WORKER_LOCK;

    static final Nonce NOBODY = new Nonce(0, 0);
    private static final Duration TTL = Duration.ofMinutes(5);
    static final long TTL_MICROS = TTL.toNanos() / 1_000;

    RowMapping mapping() {
        RowMapping jobs = RowMapping.of("jobs").key("id");
        return switch (this) {
            case EVERYTHING ->
                jobs.expiry("stamp").owner("locked_by").fence("lock_fence").nonce("lock_nonce");
            case EXPIRY_ONLY -> jobs.expiry("stamp");
            case SINCE_ONLY -> jobs.since("stamp", TTL);
            case WORKER_LOCK -> RowMapping.workerLock();
        };
    }

    String table() {
        return this == WORKER_LOCK
                ? "CREATE TABLE worker_lock (lock_key varchar(100) PRIMARY KEY, expires_at bigint NOT NULL)"
                : "CREATE TABLE jobs (id varchar(100) PRIMARY KEY, stamp bigint, locked_by varchar(40),"
                        + " lock_fence bigint, lock_nonce varchar(32))";
    }

    boolean keepsHolder() {
        return this == EVERYTHING;
    }

    /** The time in a row, compared with the expiry of the record. */
    long offset() {
        return this == SINCE_ONLY ? -TTL_MICROS : 0;
    }

    Set<Detail> details() {
        return keepsHolder() ? EnumSet.of(Detail.FENCE) : EnumSet.noneOf(Detail.class);
    }

    /** The record as the row can tell it. Settling clears the lock, and a lock of {@code worker_lock} is deleted. */
    @Nullable
    LeaseRecord kept(LeaseRecord record) {
        Tenure tenure = record.state() == State.HELD ? record.tenure() : null;
        if (tenure == null && this == WORKER_LOCK) {
            return null;
        }
        if (tenure == null) {
            return record(record, null);
        }
        return record(
                record,
                keepsHolder()
                        ? new Tenure(tenure.nonce(), tenure.owner(), TTL_MICROS, 0)
                        : new Tenure(NOBODY, null, TTL_MICROS, 0));
    }

    private static LeaseRecord record(LeaseRecord record, @Nullable Tenure tenure) {
        return new LeaseRecord(
                record.key(),
                record.fence(),
                tenure == null ? State.FREE : State.HELD,
                tenure,
                null,
                tenure == null ? 0 : record.expiryMicros(),
                0,
                Progress.NONE,
                List.of());
    }

    /** The cells that make sense: rows have no line, no cooldown and no answer. */
    boolean has(Cell cell) {
        boolean isState = switch (cell.before()) {
            case MISSING, LIVE_OTHER, EXPIRED_OTHER -> true;
            case FREE -> this != WORKER_LOCK;
            // Without a nonce, only the store that acquired a lease knows it.
            case LIVE_OURS, EXPIRED_OURS -> keepsHolder();
            default -> false;
        };
        boolean isVerb = switch (cell.verb()) {
            case ACQUIRE, ACQUIRE_WAITING -> true;
            // Anyone deletes a row of worker_lock that has expired.
            case ACQUIRE_WITH_LOCK_DELAY -> this != WORKER_LOCK;
            case ACQUIRE_AGAIN, FIND, RENEW, RENEW_SEVERAL, RENEW_WITH_TTL, RELEASE, WITHDRAW -> keepsHolder();
            default -> false;
        };
        boolean isChange = switch (cell.meanwhile()) {
            case LOCK, TAKE, RELEASE, RENEW, PURGE, DELETE -> true;
            case OUR_DUPLICATE -> keepsHolder();
            case MAKE -> this != WORKER_LOCK;
            default -> false;
        };
        return isState && isVerb && isChange;
    }

    static Fence fence(long value) {
        return Fence.of(Math.max(1, value));
    }
}
