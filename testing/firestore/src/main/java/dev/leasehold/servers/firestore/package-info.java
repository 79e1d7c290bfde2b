/**
 * {@link dev.leasehold.servers.firestore.FirestoreServer}: Leasehold's own server for Firestore's protocol. It is not
 * Google's, and passing a test against it proves nothing about Google's service beyond the documented rules that it
 * keeps.
 *
 * <p>The server runs inside the JVM, speaks gRPC with Google's published messages, and listens on the loopback address
 * only. It keeps documents in memory, with an optional journal file behind them.
 */
@NullMarked
package dev.leasehold.servers.firestore;

import org.jspecify.annotations.NullMarked;
