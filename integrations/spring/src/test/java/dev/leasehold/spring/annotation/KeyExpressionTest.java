package dev.leasehold.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.leasehold.store.Key;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

@DisplayName("The key of an annotation")
class KeyExpressionTest {
    static final class Work {
        final String name = "field";

        void sync(Object sheet, Object version) {}
    }

    private static final Method METHOD = Arrays.stream(Work.class.getDeclaredMethods())
            .filter(method -> method.getName().equals("sync"))
            .findFirst()
            .orElseThrow();

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    private Key key(String text, Object sheet, Object version) {
        return KeyExpression.of(text, METHOD, beans).of(new Work(), new Object[] {sheet, version});
    }

    @Test
    @DisplayName("is its text, with the values of its expressions")
    void values() {
        beans.registerSingleton("region", "eu");
        assertThat(key("nightly", 1, 2)).isEqualTo(Key.of("nightly"));
        assertThat(key("sync/#{#sheet}", "a", 2)).isEqualTo(Key.of("sync", "a"));
        assertThat(key("sync/#{#p0}/v#{#a1}", 7, 3)).isEqualTo(Key.of("sync", "7", "v3"));
        assertThat(key("#{#sheet.language}", Locale.JAPANESE, 3)).isEqualTo(Key.of("ja"));
        assertThat(key("#{@region}/x", 1, 2)).isEqualTo(Key.of("eu", "x"));
        assertThat(key("of/#{#root.class.simpleName}", 1, 2)).isEqualTo(Key.of("of", "Work"));
    }

    @ParameterizedTest
    @CsvSource({"a/b, a%2Fb", "50%, 50%25", "'..', %2E%2E", "../x, ..%2Fx"})
    @DisplayName("keeps its shape whatever the values are")
    void escapes(String value, String part) {
        assertThat(key("sync/#{#sheet}", value, 1).value()).isEqualTo("sync/" + part);
        assertThat(key("#{#sheet}", value, 1).value()).isEqualTo(part);
    }

    @Test
    @DisplayName("differs for different values, also if one holds a slash")
    void differs() {
        assertThat(key("#{#sheet}/#{#version}", "a/b", "c")).isNotEqualTo(key("#{#sheet}/#{#version}", "a", "b/c"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                        | empty",
                "sync/#{#shet}             | #shet",
                "sync/#{#sheet             | cannot be read",
                "sync/#{1 +}               | cannot be read",
                "sync//#{#sheet}           | empty part",
                "/sync                     | empty part",
                "#{#sheet}-#{#version}     | two expressions in one part",
                "#{#sheet}#{#version}      | two expressions in one part",
                "a/../b                    | ..",
                "sync/#{#sheet.x(#other)}  | #other",
            })
    @DisplayName("that makes no sense is refused when it is read")
    void refused(String text, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyExpression.of(text, METHOD, beans))
                .withMessageContaining(reason);
    }

    @Test
    @DisplayName("refuses values that name nothing: null, empty text, an object without a text of its own, an array")
    void badValues() {
        for (Object bad : new Object[] {null, "", new Object(), new byte[] {1}}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> key("sync/#{#sheet}", bad, 1))
                    .withMessageContaining("Work.sync(Object, Object)")
                    .withMessageContaining("#{#sheet}");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("sync/#{#sheet.missing}", "a", 1))
                .withMessageContaining("#{#sheet.missing}");
    }
}
