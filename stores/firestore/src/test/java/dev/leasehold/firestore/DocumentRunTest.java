package dev.leasehold.firestore;

import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.tck.record.RecordRunContract;
import dev.leasehold.tck.record.RecordsUnderTest;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Runs on the user's documents, in pessimistic mode")
class DocumentRunTest extends RecordRunContract {
    @Override
    protected RecordsUnderTest recordsUnderTest() {
        return new DocumentsUnderTest(TestFirestore.shared(Mode.PESSIMISTIC), mapping -> mapping);
    }
}
