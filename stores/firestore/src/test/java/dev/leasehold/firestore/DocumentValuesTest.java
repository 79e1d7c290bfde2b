package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A value of a document")
class DocumentValuesTest {
    private static final String HALF = "a\ud83db";

    static List<Object> brokenTexts() {
        return List.of(HALF, List.of("good", HALF), Map.of("name", HALF), Map.of(HALF, "value"));
    }

    @ParameterizedTest
    @MethodSource("brokenTexts")
    @DisplayName("with half of a character is refused, so that all callers are given the same text")
    void halfOfACharacter(Object value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DocumentValues.toFirestore(value))
                .withMessageContaining("half of a character");
    }

    @Test
    @DisplayName("with any whole character is kept")
    void wholeCharacters() {
        String text = "\u98df\u4e8b \ud83d\ude00";
        assertThat(DocumentValues.toFirestore(text)).isEqualTo(text);
    }
}
