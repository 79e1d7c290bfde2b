/**
 * Leases in the database the user already has: {@link dev.leasehold.jdbc.JdbcLeaseStore} in tables of its own, and
 * {@link dev.leasehold.jdbc.RowLeaseStore} on the user's own rows.
 *
 * <p>The decision whether a lease is granted is taken inside one statement, by the server's clock; what differs between
 * databases is data, in {@code Dialect}.
 */
@NullMarked
package dev.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
