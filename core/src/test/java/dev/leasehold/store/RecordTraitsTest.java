package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A record's name for people")
class RecordTraitsTest {
    private static RecordTraits traits(String collection, String keyPrefix) {
        return new RecordTraits(collection, keyPrefix, null, null, null, Set.of(), Set.of());
    }

    @Test
    @DisplayName("is its collection and its id, without what all keys begin with")
    void nameIsCollectionAndId() {
        assertThat(traits("app.analyses", "analyses/").nameOf(Key.of("analyses/7")))
                .isEqualTo("app.analyses/7");
        assertThat(traits("analyses", "analyses/").nameOf(Key.of("analyses/7"))).isEqualTo("analyses/7");
        assertThat(traits("analyses", "").nameOf(Key.of("7"))).isEqualTo("analyses/7");
        assertThat(traits("analyses", "analyses/").nameOf(Key.of("other"))).isEqualTo("analyses/other");
    }
}
