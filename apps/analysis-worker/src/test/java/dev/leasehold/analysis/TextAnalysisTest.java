package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("An analysis")
class TextAnalysisTest {
    private static Report analyse(String text) throws InterruptedException {
        return new TextAnalysis().analyse(text, () -> {});
    }

    @Test
    @DisplayName("counts words and sentences, finds frequent words, and computes readability")
    void counts() throws InterruptedException {
        Report report = analyse("The cat saw the dog. The dog, surprisingly, didn't see The CAT! Really?");
        assertThat(report.words()).isEqualTo(13);
        assertThat(report.sentences()).isEqualTo(3);
        assertThat(report.topWords()).startsWith("the", "cat", "dog").hasSize(8).doesNotContain(",");
        assertThat(report.readability()).isEqualTo(Math.round((13 / 3.0 + 100.0 / 13) * 10) / 10.0);
    }

    @Test
    @DisplayName("takes both Unicode forms of a letter for the same word")
    void normalises() throws InterruptedException {
        assertThat(analyse("caf\u00e9 cafe\u0301").topWords()).isEqualTo(List.of("caf\u00e9"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "en | When will the next train leave from the station near your house?",
                "de | Wann f\u00e4hrt der n\u00e4chste Zug vom Bahnhof in der N\u00e4he deines Hauses ab?",
                "fr | Quand est-ce que le prochain train part de la gare pr\u00e8s de chez vous ?",
                "es | \u00bfCu\u00e1ndo sale el pr\u00f3ximo tren de la estaci\u00f3n que est\u00e1 cerca de tu casa?",
                "it | Quando parte il prossimo treno dalla stazione che si trova vicino alla tua casa?",
                "pt | Quando sai o pr\u00f3ximo trem da esta\u00e7\u00e3o que n\u00e3o fica longe da sua casa?",
                "nl | Wanneer vertrekt de volgende trein van het station in de buurt van je huis?",
                "ja | \u79c1\u305f\u3061\u306e\u5ddd\u3067\u306f\u5b50\u3069\u3082\u305f\u3061\u304c\u53e4\u3044\u8239\u3092\u898b\u3066\u3044\u307e\u3059\u3002",
                "ko | \uc6b0\ub9ac \ub9c8\uc744 \uc0ac\ub78c\ub4e4\uc740 \uc624\ub798\ub41c \ub2e4\ub9ac\ub97c \uac74\ub108\uc9c0 \uc54a\uc558\uc2b5\ub2c8\ub2e4."
            })
    @DisplayName("tells the language")
    void language(String code, String text) throws InterruptedException {
        assertThat(analyse(text).language()).isEqualTo(code);
    }

    @Test
    @DisplayName("of a text that is short, or in no known language, tells none")
    void noLanguage() throws InterruptedException {
        assertThat(analyse("Hm.").language()).isNull();
        assertThat(analyse("12 34 56 78 !!").language()).isNull();
        assertThat(analyse("12 34").sentences()).isEqualTo(1);
        assertThat(analyse("!!").readability()).isZero();
    }

    @Test
    @DisplayName("looks at its lease before every step, and inside the long ones, and stops when it is told to")
    void stops() throws InterruptedException {
        AtomicInteger checks = new AtomicInteger();
        new TextAnalysis().analyse("word ".repeat(50_000), checks::incrementAndGet);
        int all = checks.get();
        assertThat(all).as("five steps, 50,000 words, and twice 25 pieces").isEqualTo(5 + 5 + 2 * 25);
        for (int last = 1; last <= all; last++) {
            int limit = last;
            AtomicInteger seen = new AtomicInteger();
            assertThatThrownBy(() -> new TextAnalysis().analyse("word ".repeat(50_000), () -> {
                        if (seen.incrementAndGet() == limit) {
                            throw new InterruptedException("stop");
                        }
                    }))
                    .isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    @Timeout(20)
    @DisplayName(
            "of 200 KB looks at its lease each second, also if it is one long word of capital sigmas, or of accents")
    void oneLetter() throws InterruptedException {
        for (String letter : List.of("\u03a3", "\u0130", "\ud835\udc00", "\u0301\u0316")) {
            AtomicLong last = new AtomicLong(System.nanoTime());
            AtomicLong longest = new AtomicLong();
            String text = "a" + letter.repeat(200_000 / letter.getBytes(StandardCharsets.UTF_8).length);
            Report report = new TextAnalysis().analyse(text, () -> {
                long now = System.nanoTime();
                longest.accumulateAndGet(now - last.getAndSet(now), Math::max);
            });
            assertThat(report.words()).isEqualTo(1);
            assertThat(Duration.ofNanos(longest.get())).as(letter).isLessThan(Duration.ofSeconds(1));
        }
    }

    @Test
    @DisplayName("cuts huge words, so that its result is small beside any text")
    void hugeWords() throws InterruptedException {
        Report report = analyse("a".repeat(300_000) + " " + "\ud835\udc00".repeat(200_000));
        assertThat(report.topWords())
                .hasSize(2)
                .allSatisfy(word ->
                        assertThat(word.codePointCount(0, word.length())).isEqualTo(100));
    }
}
