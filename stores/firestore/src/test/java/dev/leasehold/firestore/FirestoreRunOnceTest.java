package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.RunOnceContract;
import dev.leasehold.tck.StoreUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Runs, on Firestore")
class FirestoreRunOnceTest extends RunOnceContract {
    @Override
    protected StoreUnderTest storeUnderTest() {
        return new FirestoreUnderTest(Mode.OPTIMISTIC);
    }
}
