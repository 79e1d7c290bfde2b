/** Meters, spans, log lines, health and the endpoint: {@link dev.leasehold.spring.observe.ObserveAutoConfiguration}. */
@NullMarked
package dev.leasehold.spring.observe;

import org.jspecify.annotations.NullMarked;
