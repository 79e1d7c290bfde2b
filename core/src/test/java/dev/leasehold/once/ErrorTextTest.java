package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.store.Fence;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The text of an error")
class ErrorTextTest {
    @ParameterizedTest(name = "is cut between characters, to as many as there is room for: {0}")
    @ValueSource(strings = {"a", "漢", "😀"})
    void isCut(String character) {
        int width = character.length();
        for (int max = 4; max < 40; max++) {
            String fits = character.repeat(max / width);
            assertThat(ErrorText.cut(fits, max)).isEqualTo(fits);
            String cut = ErrorText.cut(character.repeat(100), max);
            assertThat(cut).isEqualTo(character.repeat((max - 1) / width) + "…").hasSizeLessThanOrEqualTo(max);
        }
    }

    @Test
    @DisplayName("is cut wherever it is kept: codes, messages, reasons and notes")
    void isCutWhereverItIsKept() {
        String huge = "😀".repeat(1_000_000);
        Failure failure = Failure.of(huge, huge);
        assertThat(failure.code()).hasSizeLessThanOrEqualTo(Failure.MAX_CODE_LENGTH);
        assertThat(failure.message()).hasSizeLessThanOrEqualTo(Failure.MAX_MESSAGE_LENGTH);
        assertThat(Failure.of(new IllegalStateException(huge)).message())
                .hasSizeLessThanOrEqualTo(Failure.MAX_MESSAGE_LENGTH);
        assertThat(new Envelope.Body.Reason(huge).text()).hasSizeLessThanOrEqualTo(ErrorText.MAX_LENGTH);
        Attempt attempt = new Attempt(1, null, Fence.of(1), null, Attempt.Ending.FAILED, huge);
        assertThat(attempt.note()).hasSizeLessThanOrEqualTo(500).endsWith("😀…");
    }

    @Test
    @DisplayName("is the class name if the error cannot say it")
    void isTheClassName() {
        RuntimeException mute = new RuntimeException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new LinkageError("mute");
            }
        };
        assertThat(ErrorText.of(mute)).isEqualTo(mute.getClass().getName());
        assertThat(ErrorText.messageOf(mute)).contains(mute.getClass().getName());
        assertThat(ErrorText.of(new IllegalStateException("why"))).isEqualTo("java.lang.IllegalStateException: why");
        assertThat(ErrorText.messageOf(new IllegalStateException())).isEqualTo("null");
    }

    @Test
    @DisplayName("is not added to the error itself")
    void errorIsNotItsOwnNote() {
        IllegalStateException error = new IllegalStateException();
        ErrorText.suppress(error, error);
        ErrorText.suppress(error, null);
        assertThat(error.getSuppressed()).isEmpty();
    }
}
