package dev.leasehold.spring.store;

import dev.leasehold.store.LeaseStore;
import java.util.function.Supplier;

/** A store that can be opened with what the application has. */
record StoreCandidate(StoreKind kind, Supplier<LeaseStore> opening) {}
