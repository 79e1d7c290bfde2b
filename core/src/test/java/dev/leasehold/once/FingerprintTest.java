package dev.leasehold.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A fingerprint")
class FingerprintTest {
    private record Payment(String to, Object amount) {}

    private enum Color {
        RED
    }

    private static Fingerprint of(Object value) {
        return Fingerprint.of(value);
    }

    @Test
    @DisplayName("names its version and algorithm, and stays the same for ever")
    void isVersioned() {
        Fingerprint print = Fingerprint.builder()
                .with("to", "bob")
                .with("amount", 10)
                .with("note", null)
                .with("tags", List.of("a", true))
                .build();
        assertThat(print).hasToString("1:sha256:231b6f34dc42fc7bee22ac393c2bb29560dbfbe9beeecf5e48e5fa91890e558f");
        assertThat(Fingerprint.ofBytes(new byte[] {1, 2, 3}))
                .hasToString("1:sha256:31db043c523aa3411c37ed94d08a9f07f717dd4110ad82e8fcd313d22eb4c575");
    }

    @Test
    @DisplayName("does not depend on the order of members, at any depth")
    void orderOfMembersDoesNotMatter() {
        Map<String, Object> one = new LinkedHashMap<>();
        one.put("a", Map.of("x", 1, "y", 2));
        one.put("b", "2");
        Map<String, Object> other = new LinkedHashMap<>();
        other.put("b", "2");
        Map<String, Object> inner = new LinkedHashMap<>();
        inner.put("y", 2);
        inner.put("x", 1);
        other.put("a", inner);
        assertThat(of(one)).isEqualTo(of(other)).hasSameHashCodeAs(of(other));
        assertThat(Fingerprint.builder()
                        .with("b", "2")
                        .with("a", Fingerprint.builder().with("y", 2).with("x", 1))
                        .build())
                .isEqualTo(of(one));
    }

    @Test
    @DisplayName("takes numbers for what they are, however they are written")
    void numbersAreNumbers() {
        for (Object one : List.of(
                1L, (short) 1, (byte) 1, 1.0, 1.0f, BigInteger.ONE, new BigDecimal("1.00"), new BigDecimal("10E-1"))) {
            assertThat(of(one)).as("%s %s", one.getClass(), one).isEqualTo(of(1));
        }
        assertThat(of(0.1f)).isEqualTo(of(0.1));
        assertThat(of(-0.0)).isEqualTo(of(0));
        assertThat(of(new BigDecimal("1E+3"))).isEqualTo(of(1000));
        assertThat(of(1)).isNotEqualTo(of("1")).isNotEqualTo(of(10)).isNotEqualTo(of(true));
        assertThat(of(9_007_199_254_740_993L)).isNotEqualTo(of(9_007_199_254_740_992L));
    }

    @Test
    @DisplayName("takes a binary fraction for the shortest decimal that means it, whatever JDK writes it")
    void fractionsAreTheirShortestDecimals() {
        for (String decimal : List.of("-5.684341886080802E-14", "0.002", "1E23", "5E-324", "1.7976931348623157E308")) {
            assertThat(of(Double.valueOf(decimal))).as(decimal).isEqualTo(of(new BigDecimal(decimal)));
        }
        for (String decimal : List.of("2.6107998E8", "0.1", "1E-45", "3.4028235E38")) {
            assertThat(of(Float.valueOf(decimal))).as(decimal).isEqualTo(of(new BigDecimal(decimal)));
        }
    }

    @Test
    @DisplayName("tells neighbouring fractions apart")
    void fractionsAreExact() {
        Random random = new Random(7);
        for (int i = 0; i < 1_000; i++) {
            double fraction = Math.abs(Double.longBitsToDouble(random.nextLong()));
            if (fraction < Double.MAX_VALUE) {
                assertThat(of(fraction)).as("%s", fraction).isNotEqualTo(of(Math.nextUp(fraction)));
            }
            float single = random.nextFloat();
            assertThat(of(single)).as("%s", single).isNotEqualTo(of(Math.nextUp(single)));
        }
    }

    @Test
    @DisplayName("takes text in its one Unicode form, and refuses what is no text")
    void textIsNormalized() {
        assertThat(of("caf\u00e9")).isEqualTo(of("cafe\u0301")).isNotEqualTo(of("cafe"));
        assertThat(of(Map.of("caf\u00e9", 1))).isEqualTo(of(Map.of("cafe\u0301", 1)));
        assertThat(of("A")).isNotEqualTo(of("a"));
        assertThat(of(Color.RED)).isEqualTo(of("RED"));
        assertThatIllegalArgumentException().isThrownBy(() -> of("\uD800"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> of(Map.of("caf\u00e9", 1, "cafe\u0301", 2)))
                .withMessageContaining("two members");
    }

    @Test
    @DisplayName("tells absent from null, and null from empty")
    void absentIsNotNull() {
        assertThat(of(Collections.singletonMap("a", null)))
                .isNotEqualTo(of(Map.of()))
                .isNotEqualTo(of(Map.of("a", "")));
        assertThat(of(null)).isNotEqualTo(Fingerprint.none());
    }

    @Test
    @DisplayName("takes a record for the map of its members")
    void mapIsRecord() {
        assertThat(of(new Payment("bob", 10))).isEqualTo(of(Map.of("amount", 10.0, "to", "bob")));
        assertThat(of(new Payment("bob", null))).isNotEqualTo(of(Map.of("to", "bob")));
    }

    @Test
    @DisplayName("keeps the order and the nesting of lists, and does not run values together")
    void listsAreOrdered() {
        assertThat(of(List.of(1, 2))).isEqualTo(of(new int[] {1, 2})).isNotEqualTo(of(List.of(2, 1)));
        assertThat(of(List.of(List.of(1), 2))).isNotEqualTo(of(List.of(1, List.of(2))));
        assertThat(of(List.of("ab", "c"))).isNotEqualTo(of(List.of("a", "bc")));
        assertThat(of(new byte[] {1})).isNotEqualTo(of(new int[] {1}));
        assertThat(of(new byte[] {1})).isNotEqualTo(Fingerprint.ofBytes(new byte[] {1}));
    }

    @Test
    @DisplayName("is refused for what has no single form")
    void strangeValuesAreRefused() {
        for (Object strange : List.of(Set.of(1), new Object(), Double.NaN, Float.POSITIVE_INFINITY, Map.of(1, 2))) {
            assertThatIllegalArgumentException().isThrownBy(() -> of(strange));
        }
        Object deep = List.of();
        for (int i = 0; i < 200; i++) {
            deep = List.of(deep);
        }
        Object tooDeep = deep;
        assertThatIllegalArgumentException().isThrownBy(() -> of(tooDeep)).withMessageContaining("deep");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Fingerprint.builder().with("a", 1).with("a", 2));
    }

    @Test
    @DisplayName("of no request contradicts none, and only another one does")
    void noneContradictsNothing() {
        Fingerprint print = of("a");
        assertThat(print.contradicts(print.text())).isFalse();
        assertThat(print.contradicts(null)).isFalse();
        assertThat(print.contradicts("1:sha256:00")).isTrue();
        assertThat(Fingerprint.none().contradicts("1:sha256:00")).isFalse();
        assertThat(Fingerprint.none()).isEqualTo(Fingerprint.none()).hasToString("none");
    }
}
