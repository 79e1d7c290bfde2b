package dev.leasehold.redis;

import dev.leasehold.wire.Lanes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** One connection. Used by one thread at a time. */
final class RedisLane implements Lanes.Lane {
    private final Connection connection;
    private final int ownTimeoutMillis;
    private boolean isBroken;

    /** Waits at most this long for an answer. A connection from a pool goes back with the limit it had. */
    RedisLane(Connection connection, int timeoutMillis) {
        this.connection = connection;
        this.ownTimeoutMillis = connection.getSoTimeout();
        connection.setSoTimeout(timeoutMillis);
    }

    /** All of them in one trip; errors are among the answers. */
    List<Reply> ask(List<Call> calls) {
        boolean isDone = false;
        try {
            for (Call call : calls) {
                call.send(connection);
            }
            List<Reply> replies = read(calls);
            askWhole(calls, replies);
            isDone = true;
            return replies;
        } finally {
            isBroken |= !isDone;
        }
    }

    /**
     * A server that was restarted, or told to forget them, does not know the scripts any more. Whoever is first to ask for
     * one brings its text along, and the others in the same trip find it there.
     */
    private void askWhole(List<Call> calls, List<Reply> replies) {
        List<Integer> unknown = new ArrayList<>(0);
        for (int i = 0; i < replies.size(); i++) {
            if (replies.get(i).value() instanceof JedisNoScriptException) {
                unknown.add(i);
            }
        }
        if (unknown.isEmpty()) {
            return;
        }
        List<Call> again = unknown.stream().map(calls::get).toList();
        Set<Script> told = new HashSet<>();
        for (Call call : again) {
            Script script = Objects.requireNonNull(call.script());
            if (told.add(script)) {
                call.sendWhole(connection, script);
            } else {
                call.send(connection);
            }
        }
        List<Reply> known = read(again);
        for (int i = 0; i < unknown.size(); i++) {
            replies.set(unknown.get(i), known.get(i));
        }
    }

    private List<Reply> read(List<Call> calls) {
        int expected = 0;
        for (Call call : calls) {
            expected += call.isAsking() ? 2 : 1;
        }
        List<Object> values = connection.getMany(expected);
        List<Reply> replies = new ArrayList<>(calls.size());
        int next = 0;
        for (Call call : calls) {
            next += call.isAsking() ? 1 : 0;
            replies.add(checked(values.get(next++)));
        }
        return replies;
    }

    /** A server that has become a replica stays one: whoever is connected to it has to look for the other. */
    private static Reply checked(@Nullable Object value) {
        if (value instanceof JedisDataException error && RedisErrors.isReadOnly(error)) {
            throw error;
        }
        return new Reply(value);
    }

    @Override
    public void close() {
        try {
            if (isBroken) {
                connection.setBroken();
            } else {
                connection.setSoTimeout(ownTimeoutMillis);
            }
            connection.close();
        } catch (JedisException e) {
            // It is closed because it failed, or because the store is: that this fails too is no news.
            return;
        }
    }
}
