/**
 * Measures Leasehold beside hand-written statements, ShedLock, Spring Integration and Redisson, on real servers.
 *
 * <p>Start at {@link dev.leasehold.benchmarks.Bench}. A {@code Contestant} says by its types what it can do, an {@code
 * Event} which of them it is for. A {@code Race} lets the contestants of one cell take turns on one database, a {@code
 * Slice} is one such turn, and a {@code Row} is what came out for one contestant.
 */
@NullMarked
package dev.leasehold.benchmarks;

import org.jspecify.annotations.NullMarked;
