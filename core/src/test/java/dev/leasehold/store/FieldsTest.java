package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Fields of a record")
class FieldsTest {
    private static byte[] first(Fields fields) {
        List<?> list = (List<?>) fields.value("list");
        Map<?, ?> map = (Map<?, ?>) list.get(0);
        return (byte[]) map.get("bytes");
    }

    @Test
    @DisplayName("cannot be changed by bytes in a list or map, neither those given nor those got")
    void immutable() {
        byte[] given = {1};
        Fields fields = Fields.of("list", List.of(Map.of("bytes", given)));
        given[0] = 2;
        first(fields)[0] = 3;
        assertThat(first(fields)).containsExactly(1);
        assertThat(fields).isEqualTo(Fields.of("list", List.of(Map.of("bytes", new byte[] {1}))));
    }

    private static final Fields NUMBERS = Fields.of("long", Long.MAX_VALUE)
            .and("double", 0.1)
            .and("decimal", new BigDecimal("12345678901234567890.12"))
            .and("infinite", Double.POSITIVE_INFINITY)
            .and("none", null);

    @Test
    @DisplayName("give a number of any kind as a decimal, with nothing rounded")
    void decimal() {
        assertThat(NUMBERS.decimal("long")).isEqualTo(new BigDecimal("9223372036854775807"));
        assertThat(NUMBERS.decimal("double")).isEqualTo(new BigDecimal("0.1"));
        assertThat(NUMBERS.decimal("decimal")).isEqualTo(new BigDecimal("12345678901234567890.12"));
        assertThat(NUMBERS.decimal("none")).isNull();
        assertThat(NUMBERS.decimal("absent")).isNull();
        assertThatThrownBy(() -> NUMBERS.decimal("infinite"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The field \"infinite\" is Infinity, not a decimal number.");
    }

    @Test
    @DisplayName("give a number of any kind as a floating one, rounded")
    void floating() {
        assertThat(NUMBERS.floating("long")).isEqualTo(0x1p63);
        assertThat(NUMBERS.floating("double")).isEqualTo(0.1);
        assertThat(NUMBERS.floating("decimal")).isEqualTo(1.2345678901234567E19);
        assertThat(NUMBERS.floating("infinite")).isInfinite();
        assertThat(NUMBERS.floating("none")).isNull();
    }

    @Test
    @DisplayName("refuse a value of another type, with the field and both types")
    void otherType() {
        Fields fields = Fields.of("pages", "many");
        List<Function<String, Object>> readers = List.of(
                fields::number, fields::decimal, fields::floating, fields::flag, fields::instant, fields::bytes);
        for (Function<String, Object> reader : readers) {
            assertThatThrownBy(() -> reader.apply("pages"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("The field \"pages\" is a String, not ");
        }
        assertThatThrownBy(() -> NUMBERS.text("long")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("refuse a map whose keys are not text, with the field and what to change")
    void keysAreText() {
        Map<Object, Object> mixed = new HashMap<>(Map.of("1", "a", 1, "b"));
        assertThatThrownBy(() -> Fields.of("pages", mixed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The map in the field \"pages\" has a key of type java.lang.Integer."
                        + " A record keeps maps whose keys are text.");
        Map<Object, Object> none = new HashMap<>();
        none.put(null, "a");
        assertThatThrownBy(() -> Fields.of("pages", List.of(none))).isInstanceOf(IllegalArgumentException.class);
    }
}
