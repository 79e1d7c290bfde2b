/**
 * Real processes on real stores under real faults, and what became of the promises.
 *
 * <p>A {@link dev.leasehold.faults.Cell} is one fault on one store: eight {@link dev.leasehold.faults.Worker} processes
 * take leases on four keys while the fault strikes, each writes down what happened to it, and a
 * {@link dev.leasehold.faults.Verdict} judges the merged history. {@link dev.leasehold.faults.Soak} runs cells until its
 * time is up.
 */
@NullMarked
package dev.leasehold.faults;

import org.jspecify.annotations.NullMarked;
