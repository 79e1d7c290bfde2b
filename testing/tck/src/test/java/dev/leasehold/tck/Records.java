package dev.leasehold.tck;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Progress;
import dev.leasehold.store.Tenure;

/** Records with one part exchanged, which the rules themselves would never do. */
final class Records {
    private Records() {}

    static LeaseRecord withTenure(LeaseRecord from, Tenure tenure) {
        return make(from, tenure, from.tombstone(), from.expiryMicros(), from.progress());
    }

    static LeaseRecord withTombstone(LeaseRecord from, Nonce tombstone) {
        return make(from, from.tenure(), tombstone, from.expiryMicros(), from.progress());
    }

    static LeaseRecord withExpiry(LeaseRecord from, long expiry) {
        return make(from, from.tenure(), from.tombstone(), expiry, from.progress());
    }

    static LeaseRecord withProgress(LeaseRecord from, Progress progress) {
        return make(from, from.tenure(), from.tombstone(), from.expiryMicros(), progress);
    }

    private static LeaseRecord make(LeaseRecord from, Tenure tenure, Nonce tombstone, long expiry, Progress progress) {
        return new LeaseRecord(
                from.key(),
                from.fence(),
                from.state(),
                tenure,
                tombstone,
                expiry,
                from.cooldownMicros(),
                progress,
                from.line());
    }

    /** The same decision with another record to be kept. */
    static <R> Change<R> keeping(Change<R> change, LeaseRecord record) {
        return new Change<>(record, change.result(), change.wakeUps());
    }

    /** The same grant with another fence, wherever it is told. */
    @SuppressWarnings("unchecked") // A grant is replaced by a grant.
    static <R> Change<R> refenced(Change<R> change, Fence fence) {
        R result = change.result() instanceof Granted granted
                ? (R) new Granted(
                        fence, granted.remaining(), granted.attempt(), granted.predecessor(), granted.checkpoint())
                : change.result();
        return new Change<>(change.record().withFence(fence), result, change.wakeUps());
    }
}
