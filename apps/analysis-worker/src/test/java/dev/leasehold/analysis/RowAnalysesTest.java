package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;

@DisplayName("The worker on rows in PostgreSQL")
class RowAnalysesTest extends AnalysisContract {
    @Override
    Place open() {
        return new Rows();
    }

    @Override
    void assertIsTime(@Nullable Object value) {
        assertThat(value).isInstanceOf(Instant.class);
    }
}
