package dev.leasehold.tck;

import dev.leasehold.store.AcquireResult.Granted;
import dev.leasehold.store.Fence;
import dev.leasehold.store.LeaseRecord;
import dev.leasehold.store.LeaseRules.Change;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Place;
import dev.leasehold.store.Progress;
import dev.leasehold.store.Tenure;
import java.util.List;

/** Records with one part exchanged, which the rules themselves would never do. */
final class Records {
    private Records() {}

    static LeaseRecord withFence(LeaseRecord from, Fence fence) {
        return make(from, fence, from.tenure(), from.tombstone(), from.expiryMicros(), from.progress(), from.line());
    }

    static LeaseRecord withTenure(LeaseRecord from, Tenure tenure) {
        return make(from, from.fence(), tenure, from.tombstone(), from.expiryMicros(), from.progress(), from.line());
    }

    static LeaseRecord withTombstone(LeaseRecord from, Nonce tombstone) {
        return make(from, from.fence(), from.tenure(), tombstone, from.expiryMicros(), from.progress(), from.line());
    }

    static LeaseRecord withExpiry(LeaseRecord from, long expiry) {
        return make(from, from.fence(), from.tenure(), from.tombstone(), expiry, from.progress(), from.line());
    }

    static LeaseRecord withProgress(LeaseRecord from, Progress progress) {
        return make(from, from.fence(), from.tenure(), from.tombstone(), from.expiryMicros(), progress, from.line());
    }

    static LeaseRecord withLine(LeaseRecord from, List<Place> line) {
        return make(from, from.fence(), from.tenure(), from.tombstone(), from.expiryMicros(), from.progress(), line);
    }

    private static LeaseRecord make(
            LeaseRecord from,
            Fence fence,
            Tenure tenure,
            Nonce tombstone,
            long expiry,
            Progress progress,
            List<Place> line) {
        return new LeaseRecord(
                from.key(), fence, from.state(), tenure, tombstone, expiry, from.cooldownMicros(), progress, line);
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
        return new Change<>(withFence(change.record(), fence), result, change.wakeUps());
    }
}
