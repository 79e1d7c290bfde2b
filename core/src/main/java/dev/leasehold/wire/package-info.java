/**
 * What stores have in common that talk to a server: few connections that many calls share, in
 * {@link dev.leasehold.wire.Lanes}, wake-ups from one store object to another, in {@link dev.leasehold.wire.WakeUps} and
 * {@link dev.leasehold.wire.Listener}, and a memory that does not grow, in {@link dev.leasehold.wire.BoundedMap}.
 *
 * <p>For authors of stores; users of leases need nothing of it.
 */
@NullMarked
package dev.leasehold.wire;

import org.jspecify.annotations.NullMarked;
