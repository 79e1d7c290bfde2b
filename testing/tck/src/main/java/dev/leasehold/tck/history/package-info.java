/**
 * What happened, written down by whoever it happened to, and the checkers that judge it afterwards.
 *
 * <p>The same format comes from the simulator, from contract tests and from real processes; {@link
 * dev.leasehold.tck.history.History} holds it, one JSON object per line in a file.
 */
@NullMarked
package dev.leasehold.tck.history;

import org.jspecify.annotations.NullMarked;
