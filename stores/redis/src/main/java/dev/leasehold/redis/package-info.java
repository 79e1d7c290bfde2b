/**
 * Leases in Redis: {@link dev.leasehold.redis.RedisLeaseStore}.
 *
 * <p>Each record is one hash, and each verb one script, which decides inside the server by the server's clock; the scripts
 * lie beside these classes as resources. Calls that come while the connections are busy go together in a pipeline.
 */
@NullMarked
package dev.leasehold.redis;

import org.jspecify.annotations.NullMarked;
