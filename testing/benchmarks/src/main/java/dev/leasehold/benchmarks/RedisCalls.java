package dev.leasehold.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;

/** Commands and scripts on one connection by Jedis, with nothing around them. */
final class RedisCalls implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Connection connection;

    RedisCalls(RedisBed bed) {
        this.connection = new Connection(
                new HostAndPort(bed.host, bed.port),
                DefaultJedisClientConfig.builder()
                        .password(bed.password)
                        .database(bed.database)
                        .socketTimeoutMillis(TIMEOUT_MILLIS)
                        .build());
    }

    /** A script that the server has, by its digest. */
    static final class Script {
        private final byte[] digest;

        private Script(byte[] digest) {
            this.digest = digest;
        }
    }

    Script load(String text) {
        return new Script((byte[]) Objects.requireNonNull(run(Command.SCRIPT, "LOAD", text)));
    }

    @Nullable
    Object run(Command command, String... words) {
        return connection.executeCommand(with(new CommandArguments(command), List.of(words)));
    }

    @Nullable
    Object run(Script script, List<String> keys, String... words) {
        return connection.executeCommand(arguments(script, keys, words));
    }

    /** Without waiting for the answer. */
    void send(Script script, List<String> keys, String... words) {
        connection.sendCommand(arguments(script, keys, words));
    }

    /** The answers to what was sent, and still is to be answered. */
    List<Object> read(int answers) {
        return connection.getMany(answers);
    }

    private static CommandArguments arguments(Script script, List<String> keys, String... words) {
        CommandArguments arguments =
                new CommandArguments(Command.EVALSHA).add(script.digest).add(bytes(Integer.toString(keys.size())));
        return with(with(arguments, keys), List.of(words));
    }

    private static CommandArguments with(CommandArguments arguments, List<String> words) {
        for (String word : words) {
            arguments.add(bytes(word));
        }
        return arguments;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        connection.close();
    }
}
