/**
 * Leases in Firestore: {@link dev.leasehold.firestore.FirestoreLeaseStore} in a collection of their own, and
 * {@link dev.leasehold.firestore.DocumentLeaseStore} on the user's own documents.
 *
 * <p>Each verb reads a document, takes its decision from {@link dev.leasehold.store.LeaseRules} by the read time that the
 * server gave, and writes only if the document is still what was read.
 */
@NullMarked
package dev.leasehold.firestore;

import org.jspecify.annotations.NullMarked;
