package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.LeasesContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The client, on Firestore")
class FirestoreLeasesTest extends LeasesContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.PESSIMISTIC);
    }
}
