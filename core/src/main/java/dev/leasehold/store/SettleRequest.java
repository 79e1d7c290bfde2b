package dev.leasehold.store;

/**
 * What a holder asks of {@link LeaseStore#settle}.
 *
 * @param amends whether a run that is on hold may be given its answer, and an answer be kept for another time than it
 *     was to be. An answer that is there is never replaced by another: of two people who resolve a run, one does
 * @param checkpointNumber the order of a lease's checkpoints: the store keeps a checkpoint unless the lease has one with a
 *     larger number, so a request that arrives late never replaces a newer checkpoint. 0 for an answer, and for a
 *     checkpoint without an order
 */
public record SettleRequest(LeaseRef lease, Settlement settlement, boolean amends, int checkpointNumber) {
    public SettleRequest {
        if (amends && settlement.isCheckpoint()) {
            throw new IllegalArgumentException("A checkpoint amends nothing: key " + lease.key() + ".");
        }
        if (checkpointNumber < 0 || (checkpointNumber > 0 && !settlement.isCheckpoint())) {
            throw new IllegalArgumentException("A checkpoint's number is at least 0, and an answer has none, but "
                    + checkpointNumber + " was given: key " + lease.key() + ".");
        }
    }

    public static SettleRequest of(LeaseRef lease, Settlement settlement) {
        return new SettleRequest(lease, settlement, false, 0);
    }

    public static SettleRequest amending(LeaseRef lease, Settlement settlement) {
        return new SettleRequest(lease, settlement, true, 0);
    }

    /** A checkpoint with its number. A holder numbers its checkpoints from 1, and repeats a request under its number. */
    public static SettleRequest checkpoint(LeaseRef lease, Settlement checkpoint, int number) {
        return new SettleRequest(lease, checkpoint, false, number);
    }
}
