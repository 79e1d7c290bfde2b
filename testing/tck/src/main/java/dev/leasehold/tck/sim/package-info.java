/**
 * The deterministic simulator: the real client, any store that runs in memory, and a network, clocks and processes that
 * fail by a seed.
 *
 * <p>{@link dev.leasehold.tck.sim.Simulation} runs one seed. The same seed gives the same run, to the last event.
 */
@NullMarked
package dev.leasehold.tck.sim;

import org.jspecify.annotations.NullMarked;
