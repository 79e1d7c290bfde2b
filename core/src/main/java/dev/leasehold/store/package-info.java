/**
 * The contract between Leasehold and whatever keeps its records: one record per key, six verbs.
 *
 * <p>Start at {@link dev.leasehold.store.LeaseStore}. A store that reads, decides and writes under a lock of its own
 * (memory, files, document transactions) gets its decisions from {@link dev.leasehold.store.LeaseRules}; a store that
 * decides inside a statement must give the same answers, and the contract kit checks that it does.
 */
@NullMarked
package dev.leasehold.store;

import org.jspecify.annotations.NullMarked;
