package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The end of a prefix")
class ListingTest {
    @Test
    @DisplayName("is the next text by code point, also past surrogates and at the end of Unicode")
    void behind() {
        assertThat(Listing.behind("")).isEmpty();
        assertThat(Listing.behind("a/")).isEqualTo("a0");
        assertThat(Listing.behind("a\uD7FF")).isEqualTo("a\uE000");
        assertThat(Listing.behind("a\uFFFF")).isEqualTo("a\uD800\uDC00");
        assertThat(Listing.behind("a\uDBFF\uDFFF")).isEqualTo("b");
        assertThat(Listing.behind("\uDBFF\uDFFF")).isEmpty();
    }
}
