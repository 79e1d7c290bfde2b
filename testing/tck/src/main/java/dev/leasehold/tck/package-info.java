/**
 * The contract kit: what every lease store must pass, and what is needed to put one through it.
 *
 * <p>Store authors extend {@link dev.leasehold.tck.LeaseStoreContract} and {@link dev.leasehold.tck.LeasesContract}, for a
 * store on a server also {@link dev.leasehold.tck.RemoteStoreContract}.
 * {@link dev.leasehold.tck.process.RunOnceProcessContract} does the same with real processes.
 * {@link dev.leasehold.tck.ManualTime} and {@link dev.leasehold.tck.FaultyStore} serve users' own tests as well.
 */
@NullMarked
package dev.leasehold.tck;

import org.jspecify.annotations.NullMarked;
