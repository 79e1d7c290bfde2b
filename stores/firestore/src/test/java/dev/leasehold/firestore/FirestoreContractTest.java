package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.LeaseStoreContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The store contract, on Firestore in pessimistic mode")
class FirestoreContractTest extends LeaseStoreContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.PESSIMISTIC);
    }
}
