package dev.leasehold.moc;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Keeps what the process writes to its standard output, and passes it on. */
@SuppressWarnings("SystemOut")
final class Output implements AutoCloseable {
    private final PrintStream before = System.out;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    Output() {
        System.setOut(new PrintStream(
                new OutputStream() {
                    @Override
                    public void write(int b) {
                        write(new byte[] {(byte) b}, 0, 1);
                    }

                    @Override
                    public void write(byte[] bytes, int from, int length) {
                        before.write(bytes, from, length);
                        synchronized (kept) {
                            kept.write(bytes, from, length);
                        }
                    }
                },
                true,
                StandardCharsets.UTF_8));
    }

    /** The lines of the log so far. */
    List<JsonNode> log() {
        synchronized (kept) {
            return log(kept.toString(StandardCharsets.UTF_8));
        }
    }

    static List<JsonNode> log(String output) {
        return output.lines()
                .filter(line -> line.startsWith("{") && line.endsWith("}"))
                .map(JsonMapper.shared()::readTree)
                .toList();
    }

    /** The lines of this level whose message has this in it. */
    List<JsonNode> lines(String level, String message) {
        return log().stream()
                .filter(line -> line.get("level").asString().equals(level)
                        && line.get("message").asString().contains(message))
                .toList();
    }

    @Override
    public void close() {
        System.setOut(before);
    }
}
