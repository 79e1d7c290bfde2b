package dev.leasehold.tck;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What every lease store must do, as tests that a store's own test class inherits.
 *
 * <p>Say what to test in {@link #storeUnderTest()}, and what it is able to do in its {@link StoreTraits}. No case can be
 * replaced or left out. Each has the id under which the contract knows it at the start of its name.
 *
 * <p>The cases come down one chain of classes rather than in nested ones, so that reports name the store's own test
 * class and {@code -Dtest=MyStoreTest} runs all of them.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class LeaseStoreContract extends ModelCases {}
