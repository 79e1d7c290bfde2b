package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.leasehold.store.Fence;
import dev.leasehold.store.Nonce;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@DisplayName("Tokens")
class TokenTest {
    @Test
    void aTokenIsOneWordThatNoShellTouches() {
        Token token = new Token(new Nonce(-1, 2), Fence.of(982));
        assertThat(token.toString())
                .isEqualTo("ffffffffffffffff0000000000000002-982")
                .matches("[0-9a-f-]+");
        assertThat(new Token.Reader().convert(token.toString())).isEqualTo(token);
    }

    @ParameterizedTest(name = "\"{0}\" is none, and is not repeated in the message")
    @ValueSource(
            strings = {
                "",
                "982",
                "ffffffffffffffff0000000000000002",
                "ffffffffffffffff0000000000000002-",
                "ffffffffffffffff0000000000000002-0",
                "ffffffffffffffff0000000000000002-9999999999999999",
                "gfffffffffffffff0000000000000002-982"
            })
    void whatIsNoTokenIsRefused(String text) {
        assertThatExceptionOfType(TypeConversionException.class)
                .isThrownBy(() -> new Token.Reader().convert(text))
                .withMessage(Messages.text("token.invalid"));
    }
}
