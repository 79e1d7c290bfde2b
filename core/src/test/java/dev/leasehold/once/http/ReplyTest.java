package dev.leasehold.once.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.once.Codec;
import dev.leasehold.once.Failure;
import dev.leasehold.store.Payload;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A reply")
class ReplyTest {
    private static final byte[] BODY = {0, 1, -1, '{', '}'};

    private static byte[] randomBytes(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100_000})
    @DisplayName("comes back the same to the byte")
    void comesBack(int size) throws Exception {
        byte[] body = randomBytes(size);
        Map<String, List<String>> headers =
                Map.of("Location", List.of("/mocs/1"), "Link", List.of("<a>", "<b>"), "ETag", List.of("\"é食\""));
        Reply reply = Reply.of(201, headers, body);
        Codec<Reply> codec = Reply.codec();

        Reply again = codec.decode(codec.encode(reply));

        assertThat(again).isEqualTo(reply).hasSameHashCodeAs(reply);
        assertThat(again.status()).isEqualTo(201);
        assertThat(again.body()).isEqualTo(body);
        assertThat(again.headers())
                .containsOnly(
                        Map.entry("etag", List.of("\"é食\"")),
                        Map.entry("link", List.of("<a>", "<b>")),
                        Map.entry("location", List.of("/mocs/1")));
        assertThat(codec.encode(again)).isEqualTo(codec.encode(reply));
    }

    @Test
    @DisplayName("keeps only the headers that are allowed")
    void keepsAllowedHeaders() {
        Map<String, List<String>> headers = Map.of(
                "Content-Type", List.of("text/plain"),
                "X-Request-Id", List.of("1"),
                "Set-Cookie", List.of("session=secret"),
                "Date", List.of("Thu, 01 Jan 1970 00:00:00 GMT"),
                "Authorization", List.of("secret"));

        assertThat(Reply.of(200, headers, BODY).headers()).containsOnlyKeys("content-type");
        assertThat(Reply.of(200, headers, BODY, Set.of("X-Request-ID")).headers())
                .containsOnlyKeys("x-request-id");
    }

    @Test
    @DisplayName("never keeps cookies, credentials, dates or what belongs to the connection, even if told to")
    void neverKeepsSecrets() {
        for (String name :
                List.of("Set-Cookie", "set-cookie", "Date", "Authorization", "WWW-Authenticate", "Transfer-Encoding")) {
            assertThat(Reply.of(200, Map.of(name, List.of("x")), BODY, Set.of(name))
                            .headers())
                    .as(name)
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("can be kept as a failure and is found in it again")
    void asFailure() {
        Reply reply = Reply.of(402, "text/plain", BODY);

        Failure failure = reply.asFailure("card-declined", "The card was declined.");

        assertThat(failure.code()).isEqualTo("card-declined");
        assertThat(Reply.of(failure)).contains(reply);
    }

    @Test
    @DisplayName("is not found in a failure that has none")
    void notAReply() {
        assertThat(Reply.of(Failure.of("code", "message"))).isEmpty();
        assertThat(Reply.of(new Failure("code", "message", Payload.of("")))).isEmpty();
        assertThat(Reply.of(new Failure("code", "message", Payload.of("LHR and something else"))))
                .isEmpty();
    }

    @Test
    @DisplayName("of a version that is not known, or cut off, is an error")
    void unknownVersion() throws Exception {
        byte[] bytes = Reply.codec().encode(Reply.of(200, "text/plain", BODY));
        byte[] newer = bytes.clone();
        newer[3] = 2;

        assertThatThrownBy(() -> Reply.codec().decode(newer)).hasMessageContaining("version");
        assertThatThrownBy(() -> Reply.codec().decode(new byte[] {'L', 'H', 'R', 1, 0}))
                .isInstanceOf(java.io.IOException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 199, 600})
    @DisplayName("has a status between 200 and 599")
    void badStatus(int status) {
        assertThatThrownBy(() -> Reply.of(status, Map.of(), BODY)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("does not tell its body by accident")
    void toStringIsDiscreet() {
        assertThat(Reply.of(200, "text/plain", new byte[] {'s', 'e', 'c'})).hasToString("200 [content-type], 3 bytes");
    }
}
