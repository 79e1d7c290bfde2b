package dev.leasehold.analysis;

import dev.leasehold.servers.firestore.Mode;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The worker on documents in Firestore")
class FirestoreUnderFireTest extends UnderFire {
    @Override
    Place open() {
        return new Documents(Mode.OPTIMISTIC);
    }
}
