package dev.leasehold.once;

import dev.leasehold.store.Owner;
import dev.leasehold.store.Payload;

/**
 * Whom a name belongs to: the id of the record that bears it, or of the request that makes one.
 *
 * <p>Two subjects with the same text are the same, in every process: a claim that is made again by the same subject
 * succeeds again. So give each thing that wants a name an id of its own before claiming. A user's id is a good subject
 * only if the user may have the name once and for one thing. Up to {@value Owner#MAX_BYTES} bytes in UTF-8; those who
 * are refused get to see it.
 */
public record Subject(String id) {
    public Subject {
        Owner.of(id); // The same text names the holder while a claim is pending, so the same limits hold.
    }

    public static Subject of(String id) {
        return new Subject(id);
    }

    static Subject of(Payload payload) {
        return new Subject(payload.text());
    }

    Owner asOwner() {
        return Owner.of(id);
    }

    Payload asPayload() {
        return Payload.of(id);
    }

    @Override
    public String toString() {
        return id;
    }
}
