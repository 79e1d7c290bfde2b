package dev.leasehold.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The TTLs that a store may have")
class StoreTtlsTest {
    private final StoreTtls ttls = new StoreTtls(30);

    @Test
    @DisplayName("are those that it confirmed or did not answer, and that of the options")
    void confirmedAndUnanswered() {
        ttls.asked(1, 10);
        ttls.asked(2, 50);
        assertThat(ttls.smallest()).isEqualTo(10);
        assertThat(ttls.largest()).isEqualTo(50);
        ttls.unchanged(2);
        ttls.confirmed(1, 2);
        assertThat(ttls.smallest()).isEqualTo(10);
        assertThat(ttls.largest()).isEqualTo(30);
    }

    @Test
    @DisplayName("are two if requests overtook each other, until a later renewal tells")
    void uncertain() {
        ttls.asked(1, 10);
        ttls.asked(2, 50);
        ttls.confirmed(2, 2);
        ttls.confirmed(1, 2);
        assertThat(ttls.smallest()).isEqualTo(10);
        assertThat(ttls.largest()).isEqualTo(50);
        ttls.answered(2, 50);
        assertThat(ttls.smallest()).isEqualTo(10);
        ttls.answered(3, 50);
        assertThat(ttls.smallest()).isEqualTo(50);
    }

    @Test
    @DisplayName("are no more limited than before when thousands of requests were not answered, of any length")
    void manyUnanswered() {
        for (int i = 1; i <= 10_000; i++) {
            ttls.asked(i, i == 7 ? 5 : i == 8 ? 90 : 40 + i % 10);
        }
        ttls.asked(10_001, 45);
        ttls.confirmed(10_001, 10_001);
        assertThat(ttls.smallest()).isEqualTo(5);
        assertThat(ttls.largest()).isEqualTo(90);
    }
}
