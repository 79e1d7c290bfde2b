package dev.leasehold.store;

/**
 * What a holder asks of {@link LeaseStore#settle}.
 *
 * @param amends whether an answer that is already there may be replaced: how a person resolves what is on hold
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
