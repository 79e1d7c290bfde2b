/**
 * Real servers for tests and benchmarks: {@link dev.leasehold.servers.PostgresServer},
 * {@link dev.leasehold.servers.MariaDbServer}, {@link dev.leasehold.servers.RedisServer} and
 * {@link dev.leasehold.servers.RedisCluster}.
 *
 * <p>Each runs as a process of its own, on the loopback address and a free port, from programs that Maven brings. It
 * can be killed, paused, restarted and put back to an earlier state. All end with the JVM, also when the JVM is killed.
 * The programs run on Linux on x86-64. Elsewhere, or to test against another server, name one in
 * {@code LEASEHOLD_TEST_POSTGRES_URL}, {@code LEASEHOLD_TEST_MARIADB_URL} or {@code LEASEHOLD_TEST_REDIS_URL}; then
 * whatever needs power over the process throws {@link java.lang.UnsupportedOperationException}.
 */
@NullMarked
package dev.leasehold.servers;

import org.jspecify.annotations.NullMarked;
