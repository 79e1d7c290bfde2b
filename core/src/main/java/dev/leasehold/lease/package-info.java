/**
 * Leases as users hold them: acquired, renewed by themselves, lost in time, released.
 *
 * <p>Start at {@link dev.leasehold.lease.Leases}. The decisions are taken by a state machine without threads, {@code
 * LeaseEngine}; {@code Leases} drives it with threads and the real clock, the simulator of the contract kit with a
 * queue and a virtual one.
 */
@NullMarked
package dev.leasehold.lease;

import org.jspecify.annotations.NullMarked;
