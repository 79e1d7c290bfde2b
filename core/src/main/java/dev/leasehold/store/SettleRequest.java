package dev.leasehold.store;

/**
 * What a holder asks of {@link LeaseStore#settle}.
 *
 * @param amends whether a run that is on hold may be given its answer, and an answer be kept for another time than it
 *     was to be. An answer that is there is never replaced by another: of two people who resolve a run, one does
 */
public record SettleRequest(LeaseRef lease, Settlement settlement, boolean amends) {
    public SettleRequest {
        if (amends && settlement.isCheckpoint()) {
            throw new IllegalArgumentException("A checkpoint amends nothing: key " + lease.key() + ".");
        }
    }

    public static SettleRequest of(LeaseRef lease, Settlement settlement) {
        return new SettleRequest(lease, settlement, false);
    }

    public static SettleRequest amending(LeaseRef lease, Settlement settlement) {
        return new SettleRequest(lease, settlement, true);
    }
}
