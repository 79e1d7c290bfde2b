package dev.leasehold.servers.firestore;

/** The concurrency mode of a database: how its read-write transactions meet conflicting writes. */
public enum Mode {
    /** A transaction's reads lock: conflicting writes wait. The default of Firestore's Standard edition. */
    PESSIMISTIC,
    /** A transaction's commit is aborted if what it read has changed. The default of the Enterprise edition. */
    OPTIMISTIC
}
