/**
 * Work and names that exist once, whoever asks and however often.
 *
 * <p>{@link dev.leasehold.once.UniqueNames} gives a name to one subject only. Everything here is made of the six verbs of
 * {@link dev.leasehold.store.LeaseStore}; no store has code for it.
 */
@NullMarked
package dev.leasehold.once;

import org.jspecify.annotations.NullMarked;
