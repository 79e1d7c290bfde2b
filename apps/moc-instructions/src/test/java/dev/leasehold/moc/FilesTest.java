package dev.leasehold.moc;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Color;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Files")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class FilesTest {
    private static final Upload PLAN = Upload.text("plan.txt", "Take two bricks.");
    private static final Upload RED = Upload.png("red.png", 40, 30, Color.RED);

    private World world;
    private Instance instance;
    private Calls calls;

    @BeforeAll
    void start() {
        world = new World();
        instance = Instance.start(world.environment());
        calls = instance.calls;
    }

    @AfterAll
    void end() {
        instance.close();
        world.close();
    }

    private static String title() {
        return "Tower " + UUID.randomUUID();
    }

    @Test
    @DisplayName("are uploaded with the bytes that were declared, and once")
    void uploads() {
        Reply made = calls.declare(title(), PLAN);
        byte[] others = "Take 22 bricks!!".getBytes(StandardCharsets.UTF_8);
        assertThat(others).hasSameSizeAs(PLAN.bytes());
        assertThat(Calls.upload(made, PLAN, others).status()).isEqualTo(400);
        assertThat(Calls.upload(made, PLAN, PLAN.bytes()).status()).isEqualTo(200);
        assertThat(Calls.upload(made, PLAN, PLAN.bytes()).status()).as("again").isEqualTo(412);
        String url = made.json().get("uploads").get("plan.txt").get("url").asString();
        assertThat(Calls.send(HttpRequest.newBuilder(URI.create(url)).PUT(BodyPublishers.ofString("x")))
                        .status())
                .as("without the headers that were signed")
                .isEqualTo(403);
        Reply read = calls.read(made.member("id"));
        assertThat(read.json().get("uploads").has("plan.txt")).as("signed anew").isTrue();
    }

    @Test
    @DisplayName("that are missing or differ are refused with 422, and can be uploaded and finalized then")
    void verified() {
        Reply made = calls.declare(title(), PLAN, RED);
        String id = made.member("id");
        assertThat(calls.finalizeOnce(id).isProblem(422, "file-missing")).isTrue();
        Calls.upload(made, PLAN, PLAN.bytes());
        assertThat(calls.finalizeOnce(id).member("detail")).contains("File 1 was not uploaded");
        // Somebody who has the bucket can write anything.
        for (byte[] wrong : List.of(new byte[RED.bytes().length], new byte[1])) {
            world.writeObject("mocs/" + id + "/file-1", wrong);
            assertThat(calls.finalizeOnce(id).isProblem(422, "file-differs")).isTrue();
        }
        assertThat(world.row(id)).containsEntry("finalizing_at", null).containsEntry("finalized_at", null);
        assertThat(world.objects(id)).hasSize(2);
        world.deleteObject("mocs/" + id + "/file-1");
        Calls.upload(made, RED, RED.bytes());
        assertThat(calls.finalizeOnce(id).isFinalized()).isTrue();
    }

    @Test
    @DisplayName("without a checksum in S3 are read and hashed")
    void hashed() {
        String id = calls.declare(title(), PLAN).member("id");
        world.writeObject("mocs/" + id + "/file-0", PLAN.bytes());
        assertThat(calls.finalizeOnce(id).isFinalized()).isTrue();
    }

    @Test
    @DisplayName(
            "that are images give a thumbnail: the declared one, else the first that can be read; without one there is none")
    void thumbnails() {
        Upload broken = new Upload("broken.png", "image/png", "no image".getBytes(StandardCharsets.UTF_8));
        String fallback = calls.create(title(), broken, RED);
        assertThat(calls.finalizeOnce(fallback).member("thumbnailKey")).startsWith("mocs/" + fallback + "/thumbnail-");
        String none = calls.create(title(), PLAN);
        Reply finalized = calls.finalizeOnce(none);
        assertThat(finalized.isFinalized()).isTrue();
        assertThat(finalized.json().get("thumbnailKey").isNull()).isTrue();
        String unusable = calls.create(title(), "broken.png", broken, RED);
        assertThat(calls.finalizeOnce(unusable).isProblem(422, "thumbnail-unusable"))
                .isTrue();
        assertThat(world.row(unusable)).containsEntry("finalizing_at", null).containsEntry("finalized_at", null);
    }

    @Test
    @DisplayName("that unfold into too many pixels are not unfolded")
    void bomb() {
        Upload bomb = new Upload("bomb.png", "image/png", hugeHead());
        String id = calls.create(title(), "bomb.png", bomb);
        assertThat(calls.finalizeOnce(id).isProblem(422, "thumbnail-unusable")).isTrue();
    }

    /** A small image whose head says that it has 60,000 by 60,000 pixels. */
    private static byte[] hugeHead() {
        byte[] bytes = RED.bytes().clone();
        java.nio.ByteBuffer head = java.nio.ByteBuffer.wrap(bytes);
        head.putInt(16, 60_000).putInt(20, 60_000);
        java.util.zip.CRC32 sum = new java.util.zip.CRC32();
        sum.update(bytes, 12, 17);
        head.putInt(29, (int) sum.getValue());
        return bytes;
    }

    @Test
    @DisplayName("are found by title and name, with the owner's other finalized MOCs alone")
    void search() {
        String id = calls.create("Windmill by the river", PLAN, RED);
        calls.create("Windmill that is not finalized", PLAN);
        calls.finalizeOnce(id);
        world.refresh();
        assertThat(calls.search("windmill")).containsExactly(id);
        assertThat(calls.search("red.png")).contains(id);
        assertThat(calls.search("zeppelin")).isEmpty();
        assertThat(calls.get("/api/mocs").json().get("mocs").valueStream()).hasSizeGreaterThan(1);
        assertThat(instance.context.getBean(Finalizer.class).reindex()).isPositive();
        assertThat(world.document(id).get("_version").asLong()).isEqualTo(world.fence(id));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{\"title\":\"x\"}",
                "{\"title\":\"x\",\"files\":[]}",
                "{\"title\":1,\"files\":[{\"name\":\"a\",\"size\":1,\"contentType\":\"a/b\",\"sha256\":\"0\"}]}",
                "{\"title\":\"x\",\"files\":[{\"name\":\"a\",\"size\":0,\"contentType\":\"a/b\",\"sha256\":\"0\"}]}",
                "{\"title\":\"x\",\"files\":[{\"name\":\"a\",\"size\":1,\"contentType\":\"a\\nb/c\",\"sha256\":\"0\"}]}",
                "{\"title\":\"x\\u0000\",\"files\":[]}",
                "{\"title\":\"x\",\"title\":\"y\",\"files\":[]}"
            })
    @DisplayName("that are declared wrongly are refused with 400")
    void malformed(String body) {
        Reply refused = calls.post("/api/mocs", body);
        assertThat(refused.isProblem(400, "malformed")).as(refused.text()).isTrue();
    }

    @Test
    @DisplayName("need a title with a letter or digit, of no more than 200 characters and 1,000 bytes as a slug")
    void titles() {
        assertThat(calls.declare("!!!", PLAN).isProblem(422, "title-unusable")).isTrue();
        assertThat(calls.declare("x".repeat(201), PLAN).isProblem(400, "malformed"))
                .isTrue();
        assertThat(calls.declare("ﷺ".repeat(200), PLAN).isProblem(422, "title-unusable"))
                .isTrue();
        assertThat(Titles.slug("Größe")).isEqualTo("grosse").isNotEqualTo(Titles.slug("Groesse"));
    }

    @Test
    @DisplayName("cannot be searched if search is off, and the rest works")
    void searchOff() {
        try (Instance off = Instance.start(world.environment("OPENSEARCH_URL", ""))) {
            String id = off.calls.create(title(), PLAN);
            assertThat(off.calls.finalizeOnce(id).isFinalized()).isTrue();
            assertThat(off.calls.get("/api/mocs?q=tower").isProblem(503, "search-off"))
                    .isTrue();
        }
    }
}
