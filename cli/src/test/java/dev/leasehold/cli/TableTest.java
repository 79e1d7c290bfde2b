package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Tables")
class TableTest {
    @Test
    void columnsAreAsWideAsTheirContents() {
        Table table = new Table(false).row("a", "left", "x").row("longer", "b", "y");
        assertThat(table.toString().lines()).containsExactly("a       left  x", "longer  b     y");
    }

    @Test
    void wideCharactersTakeTwoColumns() {
        Table table = new Table(false).row("食事", "1").row("abcd", "2").row("한글", "3");
        assertThat(table.toString().lines()).containsExactly("食事  1", "abcd  2", "한글  3");
    }

    @ParameterizedTest(name = "\"{0}\" takes {1} columns")
    @CsvSource({"abc, 3", "口腔ケア, 8", "ｱｲｳ, 3", "e\u0301, 1", "\ud83d\ude00, 2", "\uff21, 2"})
    void widthIsThatOfATerminal(String text, int columns) {
        assertThat(Shown.width(text)).isEqualTo(columns);
    }

    @Test
    void whatTurnsHidesOrBreaksALineIsEscaped() {
        assertThat(Shown.of("a\u202eb\u2028c\u001b[31md\u200be\ud800"))
                .isEqualTo("a\\u{202e}b\\u{2028}c\\u{1b}[31md\\u{200b}e\\u{d800}");
    }

    @Test
    void lettersOfAllScriptsStayAsTheyAre() {
        String text = "Grüße 食事 한글 नमस्ते \ud83d\udc69\u200d\ud83d\udcbb";
        assertThat(Shown.of(text)).isEqualTo(text);
    }

    @Test
    void onlyTheHeadingIsColoured() {
        String text = new Table(true).row("k", "v").heading("key", "state").toString();
        assertThat(text.lines()).hasSize(2);
        assertThat(text.lines().findFirst().orElseThrow())
                .startsWith("\u001b[1m")
                .endsWith("\u001b[0m");
        assertThat(text.lines().skip(1)).noneMatch(line -> line.contains("\u001b"));
    }
}
