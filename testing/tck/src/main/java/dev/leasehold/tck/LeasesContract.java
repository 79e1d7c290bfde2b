package dev.leasehold.tck;

import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * What clients do on a store, in real time, as tests that a store's own test class inherits: acquiring, keeping, losing,
 * waiting and handing over, by two clients as if in two processes.
 *
 * <p>{@link LeaseStoreContract} comes first: it says what the store must do. This one shows that leases live on it. The
 * store's clock has to run by itself. No case can be replaced or left out.
 */
@TestMethodOrder(MethodOrderer.DisplayName.class)
public abstract class LeasesContract extends LeasesContractWaiting {}
