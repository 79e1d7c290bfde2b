package dev.leasehold.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.servers.firestore.FirestoreServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The worker without any setting")
@Timeout(90)
class FirstTryTest {
    private static final Map<String, String> ANY_PORT = Map.of("PORT", "0");

    @TempDir
    private Path directory;

    @Test
    @DisplayName(
            "says in its first line that the store is not Google's, survives kill -9, and ends in order when told to")
    void withoutSettings() {
        String id;
        try (Child first = Child.startIn(directory, ANY_PORT)) {
            assertThat(first.log().get(0).get("message").asString())
                    .contains(FirestoreServer.LABEL)
                    .contains("Leasehold's own Firestore server, not Google's")
                    .contains(directory.resolve("analyses.firestore").toString());
            id = first.calls.create("The mill by the river is old. Nobody knows who built it.");
            assertThat(first.calls.deliver(id).isDone()).isTrue();
            first.kill();
        }
        try (Child second = Child.startIn(directory, ANY_PORT)) {
            assertThat(second.calls.deliver(id).isSkipped("already_finished")).isTrue();
            assertThat(second.calls.analysis(id).member("language")).isEqualTo("en");
            assertThat(second.end()).as("the exit code of SIGTERM").isEqualTo(143);
            assertThat(second.log())
                    .allMatch(line -> !line.get("level").asString().equals("ERROR"));
        }
    }

    @Test
    @DisplayName("says in one line what is wrong with the store, and exits with 69")
    void wrongStore() {
        Child.Ended unknown = Child.runIn(directory, List.of("--store", "foo"), ANY_PORT);
        assertThat(unknown.output())
                .startsWith("analysis-worker: The URL of the store begins with firestore: or jdbc:");
        assertThat(unknown.output().lines()).hasSize(1);
        assertThat(unknown.code()).isEqualTo(69);
        Child.Ended silent = Child.runIn(directory, List.of("--store", "jdbc:postgresql://127.0.0.1:1/none"), ANY_PORT);
        assertThat(silent.output()).startsWith("analysis-worker: The database cannot be opened: ");
        assertThat(silent.output()).doesNotContain("\tat ", "stack_trace");
        assertThat(silent.code()).isEqualTo(69);
    }

    @Test
    @DisplayName("tells a second instance in the same directory how to share the store of the first")
    void secondInstance() {
        try (Child first = Child.startIn(directory, ANY_PORT)) {
            Child.Ended second = Child.runIn(directory, List.of(), ANY_PORT);
            assertThat(second.output())
                    .startsWith("analysis-worker: Cannot start ")
                    .contains("If another instance runs here, share its store: FIRESTORE_EMULATOR_HOST=... PORT=0")
                    .contains("Or start in another directory.");
            assertThat(second.output().lines()).hasSize(1);
            assertThat(second.code()).isEqualTo(69);
            String line = first.log().get(0).get("message").asString();
            String host =
                    line.substring(line.indexOf("FIRESTORE_EMULATOR_HOST=") + "FIRESTORE_EMULATOR_HOST=".length());
            try (Child sharing = Child.startIn(directory, Map.of("PORT", "0", "FIRESTORE_EMULATOR_HOST", host))) {
                String id = first.calls.create("The mill by the river is old.");
                assertThat(sharing.calls.deliver(id).isDone()).isTrue();
            }
        }
    }
}
