package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("JSON")
class JsonTest {
    @Test
    void valuesHaveTheirJsonForm() {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("text", "hi");
        object.put("number", 982L);
        object.put("flag", true);
        object.put("nothing", null);
        object.put("list", List.of(1, "two"));
        object.put("inner", Map.of("a", 1));
        assertThat(Json.text(object))
                .isEqualTo("{\"text\":\"hi\",\"number\":982,\"flag\":true,\"nothing\":null,"
                        + "\"list\":[1,\"two\"],\"inner\":{\"a\":1}}");
    }

    @Test
    void textCannotBreakOutOfItsLine() {
        assertThat(Json.text("a\"b\\c\nd\u0000e\u001bf\u2028g\ud800h食\ud83d\ude00"))
                .isEqualTo("\"a\\\"b\\\\c\\nd\\u0000e\\u001bf\\u2028g\\ud800h食\ud83d\ude00\"");
    }
}
