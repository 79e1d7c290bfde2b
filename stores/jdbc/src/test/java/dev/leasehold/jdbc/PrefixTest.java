package dev.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Key;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Where the keys with a prefix end")
class PrefixTest {
    private static final String LAST = Character.toString(Character.MAX_CODE_POINT);

    @Test
    @DisplayName("is the prefix with its last character raised by one")
    void raised() {
        assertThat(Prefix.end("jobs/")).isEqualTo("jobs0");
        assertThat(Prefix.end("a")).isEqualTo("b");
    }

    @Test
    @DisplayName("is above every character that takes two chars, and below the next one")
    void beyondTheBasicPlane() {
        assertThat(Prefix.end("\uFFFF")).isEqualTo(Character.toString(0x10000));
        assertThat(Prefix.end(Character.toString(0x1F600))).isEqualTo(Character.toString(0x1F601));
    }

    @Test
    @DisplayName("passes over surrogates, which are no characters")
    void surrogates() {
        assertThat(Prefix.end("x\uD7FF")).isEqualTo("x\uE000");
    }

    @Test
    @DisplayName("is found further left if the last character cannot be raised")
    void carried() {
        assertThat(Prefix.end("a" + LAST + LAST)).isEqualTo("b");
    }

    @Test
    @DisplayName("is nowhere for the empty prefix, and for one of last characters only")
    void nowhere() {
        assertThat(Prefix.end("")).isNull();
        assertThat(Prefix.end(LAST + LAST)).isNull();
    }

    @Test
    @DisplayName("lies after each key with the prefix and not after the next one without it")
    void ordered() {
        Key end = Key.of(Objects.requireNonNull(Prefix.end("k/")));
        assertThat(Key.of("k/" + LAST)).isLessThan(end);
        assertThat(Key.of("k0")).isGreaterThanOrEqualTo(end);
    }
}
