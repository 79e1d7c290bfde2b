package dev.leasehold.lease;

import dev.leasehold.store.LeaseSnapshot;

/** What became of taking a lease away from its holder; see {@link Leases#forceRelease}. */
public sealed interface ForcedRelease {
    /** It is its holder's no more: free, or the next in line has it. {@code before} is how it stood until then. */
    record Released(LeaseSnapshot before) implements ForcedRelease {}

    /** Nothing was done: somebody else holds it by now than was seen. */
    record Changed(LeaseSnapshot found) implements ForcedRelease {}

    /** Nothing was done: nobody holds it. */
    record NotHeld() implements ForcedRelease {}
}
