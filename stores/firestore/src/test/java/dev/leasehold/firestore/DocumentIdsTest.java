package dev.leasehold.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.firestore.Firestore;
import dev.leasehold.servers.firestore.Mode;
import dev.leasehold.store.AcquireRequest;
import dev.leasehold.store.AcquireResult;
import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseStore;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Nonce;
import dev.leasehold.store.Owner;
import dev.leasehold.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Ids of documents")
class DocumentIdsTest {
    private static final List<String> HARD = List.of(
            "__x__",
            "__",
            "____",
            "_",
            "/",
            "//",
            "a/b",
            "~",
            "~0",
            "~1",
            "~~2_",
            "~check",
            "...",
            "a.",
            "食事",
            "口腔ケア",
            "𝄞/𝄞",
            "__name__",
            "__id7__",
            "a%2Fb",
            "%",
            " ",
            "\u00a0",
            "é",
            "e\u0301");

    private static boolean isValid(String id) {
        return !id.isEmpty()
                && id.getBytes(StandardCharsets.UTF_8).length <= 1_500
                && !id.contains("/")
                && !id.equals(".")
                && !id.equals("..")
                && !id.matches("(?s)__.*__");
    }

    @Test
    @DisplayName("lead back to the keys they were made of, for 10,000 random keys and all that Firestore forbids")
    void roundTrip() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        DocumentIds ids = new DocumentIds("");
        Set<String> made = new HashSet<>();
        Set<String> texts = new HashSet<>(HARD);
        while (texts.size() < 10_000) {
            texts.add(text(random));
        }
        for (String text : texts) {
            Key key = Key.of(text);
            String id = ids.of(key);
            assertThat(isValid(id)).as("%s of %s, seed %s", id, text, seed).isTrue();
            assertThat(ids.key(id)).as("seed %s", seed).isEqualTo(key);
            assertThat(made.add(id))
                    .as("%s is the id of two keys, seed %s", id, seed)
                    .isTrue();
        }
    }

    /** Mostly of characters that are escaped. */
    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(12);
        while (text.length() < length) {
            int point = random.nextInt(3) > 0 ? "_~/.%012a".codePointAt(random.nextInt(9)) : random.nextInt(0x11_0000);
            boolean isText = Character.isDefined(point) && !Character.isISOControl(point);
            if (isText && Character.getType(point) != Character.SURROGATE) {
                text.appendCodePoint(point);
            }
        }
        boolean isKey = List.of(text.toString().split("/", -1)).stream()
                .noneMatch(part -> part.equals(".") || part.equals(".."));
        return isKey
                ? text.toString()
                : text.insert(0, 'x').append('x').toString().replaceAll("/\\.+(?=/)", "");
    }

    @Test
    @DisplayName("are short enough for the longest key")
    void longest() {
        assertThat(isValid(new DocumentIds("").of(Key.of("/".repeat(Key.MAX_BYTES)))))
                .isTrue();
    }

    @Test
    @DisplayName("leave out the prefix that all keys have, also if dots are left")
    void prefix() {
        DocumentIds ids = new DocumentIds("sync");
        for (String text : List.of("sync/食事", "sync.", "sync..", "sync__a__")) {
            assertThat(isValid(ids.of(Key.of(text)))).as(text).isTrue();
            assertThat(ids.key(ids.of(Key.of(text)))).isEqualTo(Key.of(text));
        }
        assertThat(new DocumentIds("sync/").of(Key.of("sync/食事"))).isEqualTo("食事");
        for (String text : List.of("sync", "other")) {
            assertThatExceptionOfType(StoreException.class)
                    .isThrownBy(() -> ids.of(Key.of(text)))
                    .withMessageContaining("begin with \"sync\"");
        }
    }

    @Test
    @Tag("part-of:SYNC-1")
    @DisplayName(
            "name documents that the server takes, with the fields of SYNC-1 beside the lease, and list in order of keys")
    void onTheServer() throws Exception {
        String collection = "sync_locks-" + UUID.randomUUID();
        TestFirestore server = TestFirestore.shared(Mode.PESSIMISTIC);
        Firestore client = server.client();
        try (LeaseStore store = server.builder()
                .collection(collection)
                .keyPrefix("sync/")
                .field("acquiredAt", LeaseField.WRITTEN_AT)
                .field("executionId", LeaseField.OWNER)
                .open()) {
            for (String text : HARD) {
                AcquireRequest request = AcquireRequest.of(
                        Key.of("sync/" + text),
                        new Nonce(7, text.hashCode()),
                        Owner.of("run 7"),
                        Duration.ofMinutes(5));
                assertThat(store.acquire(request)).as(text).isInstanceOf(AcquireResult.Granted.class);
            }
            assertThat(store.list(ListRequest.of("sync/")).records())
                    .extracting(snapshot -> snapshot.key().value())
                    .containsExactlyElementsOf(HARD.stream()
                            .map(text -> Key.of("sync/" + text))
                            .sorted()
                            .map(Key::value)
                            .toList());
            var sheet = client.collection(collection).document("食事").get().get();
            assertThat(sheet.getString("executionId")).isEqualTo("run 7");
            assertThat(sheet.getTimestamp("acquiredAt")).isNotNull();
        } finally {
            client.shutdownNow();
        }
    }
}
