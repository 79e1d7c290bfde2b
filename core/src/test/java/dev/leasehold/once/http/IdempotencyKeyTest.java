package dev.leasehold.once.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.once.http.IdempotencyKey.Parsed;
import dev.leasehold.store.Key;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The header Idempotency-Key")
class IdempotencyKeyTest {
    private static Parsed parse(String... values) {
        return IdempotencyKey.parse(List.of(values));
    }

    private static Parsed.Valid valid(String value) {
        return new Parsed.Valid(value);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "\"8e03978e-40d5\", 8e03978e-40d5",
                "'  \"a\" ', a",
                "\"a b\", a b",
                "\"a\\\"b\\\\c\", a\"b\\c",
                "'\"a,b;c\"', 'a,b;c'"
            })
    @DisplayName("is a string in double quotes")
    void quoted(String field, String value) {
        assertThat(parse(field)).isEqualTo(valid(value));
        assertThat(IdempotencyKey.parseLeniently(List.of(field))).isEqualTo(valid(value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\"",
                "\"\"",
                "\"  \"",
                "\"a",
                "a\"",
                "\"a\"b",
                "\"a\", \"b\"",
                "\"a\";p=1",
                "\"a\\b\"",
                "\"a\\",
                "\"a\tb\"",
                "\"a\nb\"",
                "\"a\u007Fb\"",
                "\"é\"",
                "a, b",
                "\t\"a\""
            })
    @DisplayName("is malformed if empty, repeated in one line, cut off or with other characters")
    void malformed(String field) {
        assertThat(parse(field)).isInstanceOf(Parsed.Malformed.class);
        assertThat(IdempotencyKey.parseLeniently(List.of(field))).isInstanceOf(Parsed.Malformed.class);
    }

    @Test
    @DisplayName("may stand without quotes only if that is wanted")
    void bare() {
        assertThat(parse("8e03978e-40d5")).isInstanceOf(Parsed.Malformed.class);
        assertThat(IdempotencyKey.parseLeniently(List.of("8e03978e-40d5"))).isEqualTo(valid("8e03978e-40d5"));
    }

    @Test
    @DisplayName("has at most 255 characters")
    void length() {
        assertThat(parse("\"" + "a".repeat(255) + "\"")).isEqualTo(valid("a".repeat(255)));
        assertThat(parse("\"" + "a".repeat(256) + "\"")).isInstanceOf(Parsed.Malformed.class);
        assertThat(IdempotencyKey.parseLeniently(List.of("a".repeat(256)))).isInstanceOf(Parsed.Malformed.class);
    }

    @Test
    @DisplayName("is missing, or sent too often")
    void missingOrRepeated() {
        assertThat(parse()).isEqualTo(new Parsed.Missing());
        assertThat(parse("\"a\"", "\"a\""))
                .isInstanceOfSatisfying(
                        Parsed.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("2 times"));
    }

    @Test
    @DisplayName("counts for its tenant, method and route only, without ambiguity")
    void scoped() {
        Set<Key> keys = new HashSet<>();
        String[][] requests = {
            {"a", "POST", "/mocs", "k"},
            {"b", "POST", "/mocs", "k"},
            {"a", "PUT", "/mocs", "k"},
            {"a", "POST", "/mocs/{id}", "k"},
            {"a", "POST", "/mocs", "l"},
            {"a/POST", "", "/mocs", "k"},
            {"a", "POST", "", "/mocs/k"},
            {"a", "POST", "/mocs/k", ""},
            {"a%2FPOST", "", "/mocs", "k"},
            {"長".repeat(300), "POST", "/" + "r".repeat(2_000), "~".repeat(255)},
            {"長".repeat(300), "POST", "/" + "r".repeat(2_001), "~".repeat(255)},
        };
        for (String[] request : requests) {
            keys.add(IdempotencyKey.scoped(request[0], request[1], request[2], valid(request[3])));
        }

        assertThat(keys).hasSize(requests.length);
        assertThatThrownBy(() -> IdempotencyKey.scoped("a\nb", "POST", "/mocs", valid("k")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
