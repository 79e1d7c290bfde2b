package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A request that an interrupt of its caller ended")
class TroubleTest {
    @Test
    @DisplayName("is asked again")
    void isPassing() {
        assertThat(Trouble.of(new InterruptedException(), false).kind()).isEqualTo(Trouble.Kind.UNKNOWN);
    }
}
