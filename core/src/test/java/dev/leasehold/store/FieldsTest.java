package dev.leasehold.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
