/** Requests that are done once: {@link dev.leasehold.spring.http.Idempotent}. */
@NullMarked
package dev.leasehold.spring.http;

import org.jspecify.annotations.NullMarked;
