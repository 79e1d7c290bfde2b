package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.record.RecordRunContract;
import dev.leasehold.tck.record.RecordsUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Runs on the user's documents, with Firestore's own timestamps")
class DocumentRunTimestampsTest extends RecordRunContract {
    @Override
    protected RecordsUnderTest recordsUnderTest() {
        return new DocumentsUnderTest(TestFirestore.shared(Mode.OPTIMISTIC), mapping -> mapping.asTimestamps());
    }
}
