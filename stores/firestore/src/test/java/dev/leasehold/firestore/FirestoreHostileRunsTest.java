package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.HostileRunsContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Hostile runs, on Firestore")
class FirestoreHostileRunsTest extends HostileRunsContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.PESSIMISTIC);
    }
}
