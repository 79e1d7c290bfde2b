package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.firestore.Mode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The worker on documents in Firestore")
class FirestoreAnalysesTest extends AnalysisContract {
    @Override
    Place open() {
        return new Documents(Mode.PESSIMISTIC);
    }

    /** ISO 8601, as ANALYSIS-1 has it. */
    @Override
    void assertIsTime(@Nullable Object value) {
        assertThat(value)
                .isInstanceOf(String.class)
                .asString()
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }
}
