/**
 * How outcomes are said in HTTP: statuses, headers and problem types, without a web framework.
 *
 * <p>{@link dev.leasehold.once.http.HttpProfile} has the three tables, {@link dev.leasehold.once.http.IdempotencyKey}
 * reads the request header, {@link dev.leasehold.once.http.Reply} is an answer that can be kept and sent again.
 */
@NullMarked
package dev.leasehold.once.http;

import org.jspecify.annotations.NullMarked;
