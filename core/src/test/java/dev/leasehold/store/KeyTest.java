package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A key")
class KeyTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", " ", "食事", "口腔ケア", "a/b", "a..b", "...", "'; drop table lease", "%2F", "🔒", "-rf"})
    @DisplayName("is any Unicode text")
    void anyText(String text) {
        assertThat(Key.of(text)).hasToString(text);
    }

    @Test
    @DisplayName("A10 is refused when empty, and the message says so")
    void empty() {
        assertThatIllegalArgumentException().isThrownBy(() -> Key.of("")).withMessage("A key must not be empty.");
    }

    @Test
    @DisplayName("A10 is refused beyond 512 bytes of UTF-8, with its size and a short piece of it")
    void tooLong() {
        assertThat(Key.of("é".repeat(256)).utf8()).hasSize(512);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Key.of("k".repeat(10_240)))
                .withMessageContaining("at most 512 bytes")
                .withMessageContaining("10240")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
        assertThatIllegalArgumentException().isThrownBy(() -> Key.of("é".repeat(257)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "\n", "tab\there", "\u007F", "\u0085"})
    @DisplayName("A10 is refused with a control character, which the message shows escaped")
    void control(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Key.of(text))
                .withMessageContaining("control character")
                .withMessageMatching("\\P{Cntrl}*");
    }

    @Test
    @DisplayName("A10 is refused with a lone surrogate, of either half")
    void loneSurrogates() {
        for (String text : List.of("\uD83D", "a\uDD12", "\uDD12\uD83D")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Key.of(text))
                    .withMessageContaining("lone surrogate at index");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"..", ".", "a/../b", "../a", "a/.", "./a"})
    @DisplayName("A10 is refused with a dot segment, which the message says how to escape")
    void dotSegments(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Key.of(text))
                .withMessageContaining("Key.of(first, more...)");
    }

    @Test
    @DisplayName("A10 differs by case, blank and Unicode form")
    void exact() {
        assertThat(List.of("\u00E9", "e\u0301", "É", "e", "é ", " é", "ｅ").stream()
                        .map(Key::of)
                        .distinct())
                .hasSize(7);
    }

    @Test
    @DisplayName("of parts is different for different parts")
    void parts() {
        List<Key> keys = List.of(
                Key.of("a", "b", "c"),
                Key.of("a/b", "c"),
                Key.of("a", "b/c"),
                Key.of("a%2Fb", "c"),
                Key.of("a", ".."),
                Key.of("a", "%2E%2E"),
                Key.of("a", ""),
                Key.of("", "a"));
        assertThat(keys).doesNotHaveDuplicates();
        assertThat(Key.of("a", "b/c")).hasToString("a/b%2Fc");
        assertThat(Key.of("a", "..")).hasToString("a/%2E%2E");
    }

    @Test
    @DisplayName("is ordered as its bytes in UTF-8 are")
    void order() {
        List<Key> keys = new ArrayList<>(List.of(
                Key.of("b"), Key.of("a"), Key.of("A"), Key.of("\uFFFD"), Key.of("🔒"), Key.of("é"), Key.of("ab")));
        List<Key> byBytes = new ArrayList<>(keys);
        byBytes.sort((left, right) -> Arrays.compareUnsigned(left.utf8(), right.utf8()));
        Collections.sort(keys);
        assertThat(keys).isEqualTo(byBytes);
    }
}
