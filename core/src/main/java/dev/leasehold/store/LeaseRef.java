package dev.leasehold.store;

/**
 * One grant of one key, and the right to act for it: what renew, release and settle compare with the record.
 *
 * <p>If nonce and fence still match the record, the lease is still this one's; otherwise nothing changes.
 */
public record LeaseRef(Key key, Nonce nonce, Fence fence) {}
