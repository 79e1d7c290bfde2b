/**
 * The interleavings contract: a verb meets a rival's open transaction on the same record.
 *
 * <p>Start with {@link dev.leasehold.tck.interleaving.InterleavingContract}.
 */
@NullMarked
package dev.leasehold.tck.interleaving;

import org.jspecify.annotations.NullMarked;
