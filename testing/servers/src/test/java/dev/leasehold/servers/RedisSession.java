package dev.leasehold.servers;

import java.io.IOException;
import java.util.List;

final class RedisSession implements Session {
    private final RedisConnection connection;

    private RedisSession(RedisConnection connection) {
        this.connection = connection;
    }

    static RedisSession open(RedisServer server) throws IOException {
        return new RedisSession(server.connect());
    }

    @Override
    public void waitAtMost(int millis) throws IOException {
        connection.waitAtMost(millis);
    }

    @Override
    public void put(String word) throws IOException {
        connection.call("SADD", "words", word);
    }

    @Override
    public List<String> words() throws IOException {
        return connection.call("SMEMBERS", "words").stream().sorted().toList();
    }

    List<String> ask(String... words) throws IOException {
        return connection.call(words);
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
