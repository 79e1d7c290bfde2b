package dev.leasehold.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.leasehold.servers.Database;
import dev.leasehold.servers.PostgresServer;
import dev.leasehold.servers.firestore.FirestoreServer;
import dev.leasehold.servers.firestore.Settings;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does what the guides tell a user to do who has a table or documents, and looks at what they say will be seen. */
@Tag("slow")
@Timeout(180)
@DisplayName("The first run of the guide")
class GuideTest {
    private static final String URL = "jdbc:postgresql://localhost/db?user=me";

    @TempDir
    private Path directory;

    private static Path guide(String name) {
        return Documents.ROOT.resolve("docs/guide").resolve(name);
    }

    /** The blocks of this language, in order. */
    private static List<String> blocks(String guide, String language) {
        return Pattern.compile("(?ms)^```(\\w*)\\n(.*?)\\n```$")
                .matcher(Documents.read(guide(guide)))
                .results()
                .filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2))
                .toList();
    }

    /** Without the numbers that come from the clock: fences. */
    private static String settled(String text) {
        return text.replaceAll("\\d{13,}", "FENCE");
    }

    /** Compiles the guide's program and runs it in a process of its own; gives what it wrote. */
    private String run(String guide, String url, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path source = directory.resolve("Analyses.java");
        Files.writeString(source, Documents.snippets(guide(guide)).get(0).code().replace(URL, url));
        int compiled = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-d", directory.toString(), "-proc:none", source.toString());
        assertThat(compiled).isZero();
        Path output = directory.resolve("output");
        String libraries = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        ProcessBuilder java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        directory + ":" + libraries,
                        "Analyses")
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        java.environment().putAll(environment);
        Process process = java.start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }

    private void assertIsShown(String guide, String written) {
        assertThat(settled(written))
                .isNotEmpty()
                .isIn(blocks(guide, "").stream()
                        .map(block -> settled(block + "\n"))
                        .toList());
    }

    @Test
    @DisplayName("for rows leads from a table to a finished row")
    void rows() throws Exception {
        try (Database database = PostgresServer.shared(18).freshDatabase();
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : blocks("rows.md", "sql")) {
                statement.execute(sql);
            }
            String separator = database.url().contains("?") ? "&" : "?";
            String url = database.url() + separator + "user=" + encoded(database.user()) + "&password="
                    + encoded(database.password());

            assertIsShown("rows.md", run("rows.md", url, Map.of()));

            assertThat(settled(Documents.read(guide("rows.md")))).contains(settled(table(statement)));
        }
    }

    /** The table as the guide shows it. */
    private static String table(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery("SELECT * FROM analyses")) {
            List<String> names = new ArrayList<>();
            List<String> values = new ArrayList<>();
            assertThat(row.next()).isTrue();
            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                names.add(row.getMetaData().getColumnName(i));
                String value = row.getString(i);
                values.add(value == null ? "NULL" : value);
            }
            return "| " + String.join(" | ", names) + " |\n|" + "---|".repeat(names.size()) + "\n| "
                    + String.join(" | ", values) + " |\n";
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("for Firestore leads from a document to a finished document")
    void firestore() throws Exception {
        List<String> documents = blocks("firestore.md", "json");
        try (FirestoreServer server = FirestoreServer.start(Settings.DEFAULT)) {
            Map<String, String> environment =
                    Map.of("FIRESTORE_EMULATOR_HOST", server.host(), "GOOGLE_CLOUD_PROJECT", "guide");
            Firestore firestore = FirestoreOptions.newBuilder()
                    .setProjectId("guide")
                    .setEmulatorHost(server.host())
                    .build()
                    .getService();
            try {
                DocumentReference document = firestore.document("analyses/7");
                document.set(fields(documents.get(0))).get();

                assertIsShown("firestore.md", run("firestore.md", URL, environment));

                Map<String, Object> after = new TreeMap<>(document.get().get().getData());
                assertThat(settled(after.toString()))
                        .isEqualTo(settled(new TreeMap<>(fields(documents.get(1))).toString()));
            } finally {
                firestore.shutdown();
            }
        }
    }

    /** The fields of a document that the guide shows as JSON: texts and whole numbers. */
    private static Map<String, Object> fields(String json) {
        Map<String, Object> fields = new HashMap<>();
        for (MatchResult field : Pattern.compile("\"(\\w+)\": (?:\"([^\"]*)\"|(\\d+))")
                .matcher(json)
                .results()
                .toList()) {
            fields.put(field.group(1), field.group(2) == null ? Long.valueOf(field.group(3)) : field.group(2));
        }
        return fields;
    }
}
