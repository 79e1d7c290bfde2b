package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.HostileCallersContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Hostile callers, on Firestore")
class FirestoreHostileCallersTest extends HostileCallersContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.OPTIMISTIC);
    }
}
