package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.store.Key;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A name policy")
class NamePolicyTest {
    private static final Key SCOPE = Key.of("titles");

    private static String slug(String text) {
        return NamePolicy.slug().normalise(text);
    }

    @Tag("part-of:FINALIZE-6")
    @ParameterizedTest(name = "K06 {0} is {1}")
    @CsvSource({
        "My Castle!, my-castle",
        "'my  castle', my-castle",
        "'  --My_Castle--  ', my-castle",
        "'My\tCastle\n', my-castle",
        "MY CASTLE, my-castle",
        "Mÿ Cästlé, my-castle",
        "Bob's, bob-s",
        "Straße, strasse",
        "STRASSE, strasse",
        "STRAẞE, strasse",
        "ΟΔΟΣ, οδοσ",
        "οδός, οδοσ",
        "ΟΔΟΣ'Α, οδοσ-α",
        "οδος α, οδοσ-α",
        "ﬁne, fine",
        "ＦＵＬＬ　１, full-1",
        "x², x2",
        "食事, 食事",
        "口腔ケア, 口腔ケア",
        "ｹｱ, ケア",
        "한글 이름, 한글-이름",
        "Мой, мой",
        "हिन्दी, हिन्दी",
        "𝒞astle, castle",
        "cas\u200Btle, castle",
        "cas\u00ADtle, castle",
    })
    void slugs(String text, String expected) {
        assertThat(slug(text)).isEqualTo(Normalizer.normalize(expected, Normalizer.Form.NFKC));
    }

    @ParameterizedTest
    @ValueSource(strings = {"istanbul", "ISTANBUL", "İstanbul", "ıstanbul", "I\u0307stanbul"})
    @DisplayName("K06 The Turkish letters i are one in a slug")
    void turkish(String text) {
        assertThat(slug(text)).isEqualTo("istanbul");
    }

    @Test
    @DisplayName("K06 No policy depends on the machine's language")
    void languageDoesNotMatter() {
        Locale before = Locale.getDefault();
        try {
            Locale.setDefault(Locale.forLanguageTag("tr"));
            assertThat(slug("TITLE I")).isEqualTo("title-i");
            assertThat(NamePolicy.caseless().normalise("TITLE I")).isEqualTo("title i");
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    @DisplayName("K06 Marks that make another letter stay: Japanese, Russian, Hindi")
    void lettersStayApart() {
        assertThat(slug("がき")).isNotEqualTo(slug("かき"));
        assertThat(slug("мой")).isNotEqualTo(slug("мои"));
        assertThat(slug("कि")).isNotEqualTo(slug("की"));
    }

    @Test
    @DisplayName("K06 Both ways to write one text in Unicode are one name")
    void unicodeForms() {
        String composed = "Café が 각";
        String decomposed = Normalizer.normalize(composed, Normalizer.Form.NFD);
        assertThat(decomposed).isNotEqualTo(composed);
        assertThat(slug(decomposed)).isEqualTo(slug(composed));
        assertThat(NamePolicy.caseless().normalise(decomposed))
                .isEqualTo(NamePolicy.caseless().normalise(composed));
        assertThat(NamePolicy.exact().normalise(decomposed)).isEqualTo(decomposed);
    }

    @Test
    @DisplayName("K06 Caseless keeps blanks, signs and accents, and drops case alone")
    void caseless() {
        NamePolicy policy = NamePolicy.caseless();
        assertThat(policy.normalise("My Castle!")).isEqualTo("my castle!");
        assertThat(policy.normalise("ΟΔΟΣ")).isEqualTo(policy.normalise("οδος"));
        assertThat(policy.normalise("é")).isNotEqualTo(policy.normalise("e"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "!!!", "—", "🏰", "\u200B"})
    @DisplayName("K06 A text without letter or digit has no slug, and the refusal says why")
    void emptySlug(String text) {
        assertThatThrownBy(() -> slug(text))
                .isInstanceOf(UnusableNameException.class)
                .hasMessageContaining("at least one letter or digit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\tb", "a\uD800b"})
    @DisplayName("K06 What no key can have is refused by the policies that keep it")
    void unfitText(String text) {
        assertThatThrownBy(() -> NamePolicy.exact().normalise(text)).isInstanceOf(UnusableNameException.class);
    }

    @Test
    @DisplayName("K06 A slug is its own slug, and always fits")
    void slugIsStable() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<String> odd = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String text = random.ints(1 + random.nextInt(12), 0, 0x30000)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            String once = Slug.of(text);
            if (!Slug.of(once).equals(once)) {
                odd.add(text);
            }
        }
        assertThat(odd).as("seed %d", seed).isEmpty();
    }

    @Test
    @DisplayName("K06 Every letter is the same in upper and lower case, and its form is its own form")
    void everyLetter() {
        List<String> odd = new ArrayList<>();
        for (int point = 0; point < 0x20000; point++) {
            if (Character.isLetter(point)) {
                String letter = Character.toString(point);
                String lower = letter.toLowerCase(Locale.ROOT);
                String upper = letter.toUpperCase(Locale.ROOT);
                for (NamePolicy policy : List.of(NamePolicy.caseless(), NamePolicy.slug())) {
                    String form = policy.normalise(letter);
                    if (!Set.of(form)
                            .containsAll(List.of(
                                    policy.normalise(lower), policy.normalise(upper), policy.normalise(form)))) {
                        odd.add(policy + " of U+" + Integer.toHexString(point));
                    }
                }
            }
        }
        assertThat(odd).isEmpty();
    }

    @Test
    @DisplayName("K06 The policy's id is part of the key, so a changed rule never meets old names")
    void idIsInTheKey() {
        assertThat(Name.of(SCOPE, "My Castle", NamePolicy.slug()).key())
                .isEqualTo(Key.of("names/titles/slug-1/my-castle"));
        assertThat(NamePolicy.named("slug-2", text -> text)).isNotEqualTo(NamePolicy.slug());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "slug", "Slug-1", "slug-", "a/b-1", "1-1"})
    @DisplayName("K06 A policy without a version in its id is refused")
    void badIds(String id) {
        assertThatThrownBy(() -> NamePolicy.named(id, text -> text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("K06 Different texts never have one key: slashes, dots, tildes, any length")
    void keysAreApart() {
        String lengthy = "長".repeat(1_000);
        List<String> texts = List.of(
                "a", "a/b", "a%2Fb", ".", "..", "%2E", "~", "%7E", "~a", lengthy, lengthy + "長", "/".repeat(100), " a");
        Set<Key> keys = new HashSet<>();
        for (String text : texts) {
            keys.add(Name.of(SCOPE, text, NamePolicy.exact()).key());
        }
        Name digested = Name.of(SCOPE, lengthy, NamePolicy.exact());
        String digest = digested.key().value().substring(digested.key().value().lastIndexOf('/') + 1);
        keys.add(Name.of(SCOPE, digest, NamePolicy.exact()).key());

        assertThat(keys).hasSize(texts.size() + 1);
    }

    @Test
    @DisplayName("K06 The longest names, scopes and changes fit into a key, and longer scopes are refused")
    void limits() {
        NamePolicy policy = NamePolicy.named("a".repeat(31) + "-9999", text -> text);
        Name name = Name.of(Key.of("s".repeat(320)), "n".repeat(120), policy);
        assertThat(name.change(dev.leasehold.store.Fence.of((1L << 53) - 1), Integer.MAX_VALUE)
                        .utf8())
                .hasSizeLessThanOrEqualTo(Key.MAX_BYTES);

        assertThatThrownBy(() -> Name.of(Key.of("s".repeat(321)), "n", policy)).hasMessageContaining("320 bytes");
    }
}
