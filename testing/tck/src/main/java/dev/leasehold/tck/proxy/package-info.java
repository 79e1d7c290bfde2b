/**
 * {@link dev.leasehold.tck.proxy.FaultProxy} stands between a client and a real server and spoils the bytes that pass.
 * What can go wrong is a {@link dev.leasehold.tck.proxy.Fault}; what did go wrong is a
 * {@link dev.leasehold.tck.proxy.Firing}.
 */
@NullMarked
package dev.leasehold.tck.proxy;

import org.jspecify.annotations.NullMarked;
