package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.StoreUnderTest;
import dev.leasehold.tck.UniqueNamesContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Unique names, on Firestore")
class FirestoreUniqueNamesTest extends UniqueNamesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.PESSIMISTIC);
    }
}
