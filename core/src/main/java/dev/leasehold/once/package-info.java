/**
 * Work and names that exist once, whoever asks and however often.
 *
 * <p>{@link dev.leasehold.once.Once} does work once and gives later callers the first one's answer: a run is a lease that
 * ends with an answer. {@link dev.leasehold.once.UniqueNames} gives a name to one subject only. Everything here is made of
 * the six verbs of {@link dev.leasehold.store.LeaseStore}; no store has code for it.
 */
@NullMarked
package dev.leasehold.once;

import org.jspecify.annotations.NullMarked;
