package dev.leasehold.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** How to run Redis. */
final class RedisProgram extends Program {
    private static final String NAME = "redis";

    private final Path program;
    private final String password;

    RedisProgram(Config config, String password) {
        super(NAME, config, "libfaketimeMT.so.1");
        this.password = password;
        this.program = Cache.ofUser()
                .directory(Versions.named(NAME, RedisServer.VARIABLE), RedisProgram::unpack)
                .resolve("redis-server");
    }

    String password() {
        return password;
    }

    /** The last line wins, so the caller's settings come last. */
    @Override
    void prepare(Path data) throws IOException {
        StringBuilder lines = new StringBuilder();
        lines.append("bind 127.0.0.1\n");
        lines.append("requirepass ").append(password).append('\n');
        lines.append("dir \"").append(data).append("\"\n");
        lines.append("databases 1000\n");
        lines.append("save \"\"\n");
        // Set from the start: turned on later, it makes Redis ignore the next request to end.
        lines.append("appendonly yes\n");
        lines.append("appendfsync ")
                .append(config.isRelaxed() ? "no" : "always")
                .append('\n');
        config.settings()
                .forEach((name, value) ->
                        lines.append(name).append(' ').append(value).append('\n'));
        Files.writeString(data.resolve("redis.conf"), lines);
    }

    @Override
    List<String> command(Path data, int port) {
        return List.of(program.toString(), data.resolve("redis.conf").toString(), "--port", Integer.toString(port));
    }

    @Override
    boolean answers(Path data, int port) throws IOException {
        try (RedisConnection connection = RedisConnection.open("127.0.0.1", port, 5_000)) {
            connection.call("AUTH", password);
            return connection.call("CONFIG", "GET", "dir").contains(data.toString());
        }
    }

    @Override
    String gentleSignal() {
        return "TERM";
    }

    @Override
    String abruptSignal() {
        return "KILL";
    }

    @Override
    Set<String> marksOfLife() {
        return Set.of();
    }

    private static void unpack(Path directory) throws IOException {
        Path target = directory.resolve("redis-server");
        try (InputStream content = Versions.resource("redis-server-6.2.6-v5-linux-amd64")) {
            Files.copy(content, target);
        }
        if (!target.toFile().setExecutable(true)) {
            throw new IOException("Cannot make redis-server executable.");
        }
    }
}
