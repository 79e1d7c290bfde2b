/**
 * The check of a store under real concurrency: random calls from many threads, and the search for an order in which
 * {@link dev.leasehold.store.LeaseRules} gives the same answers.
 *
 * <p>Store authors extend {@link dev.leasehold.tck.concurrency.ConcurrencyContract}.
 */
@NullMarked
package dev.leasehold.tck.concurrency;

import org.jspecify.annotations.NullMarked;
