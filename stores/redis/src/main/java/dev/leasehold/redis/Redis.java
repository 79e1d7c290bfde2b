package dev.leasehold.redis;

import dev.leasehold.store.StoreException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** Takes calls to the node that has their key, and gives the answers without the errors. */
final class Redis implements AutoCloseable {
    private static final int MOST_DETOURS = 4;

    final Nodes nodes;

    Redis(Nodes nodes) {
        this.nodes = nodes;
    }

    /** Asks whoever has the call's key. */
    @Nullable
    Object ask(Call call) {
        Node node = nodes.owner(nodes.slot(call.key()));
        return ask(node, call, 0);
    }

    /** Asks a certain node. */
    @Nullable
    Object ask(Node node, Call call) {
        return ask(node, call, MOST_DETOURS);
    }

    private @Nullable Object ask(Node first, Call call, int detours) {
        try {
            return follow(first.ask(call), call, detours);
        } catch (JedisException e) {
            StoreException failure = failed(e);
            throw call.isScript() && RedisErrors.isForeign(e) ? RedisErrors.foreign(call.key(), e) : failure;
        }
    }

    private @Nullable Object follow(Reply reply, Call call, int detours) {
        Object value = reply.value();
        if (!(value instanceof JedisDataException error)) {
            return value;
        }
        Optional<Nodes.Detour> detour = detours < MOST_DETOURS ? nodes.detour(error) : Optional.empty();
        if (detour.isEmpty()) {
            throw error;
        }
        Call again = detour.get().isAsking() ? call.asking() : call;
        return follow(detour.get().node().ask(again), call, detours + 1);
    }

    private StoreException failed(JedisException error) {
        if (RedisErrors.isLost(error) || RedisErrors.isClusterDown(error)) {
            nodes.failed();
        }
        return RedisErrors.translate(error);
    }

    /** The way to a node. */
    interface Way {
        List<Reply> ask(Node node, List<Call> calls);
    }

    /**
     * Asks for many, in one trip to each node.
     *
     * @throws StoreException and not that the store is unavailable, if some nodes answered and some did not: whoever asks
     *     again should ask for fewer, and so get answers about those whose node is well
     */
    List<Optional<Object>> askAll(List<Call> calls, Way way) {
        Map<Node, List<Integer>> byNode = new LinkedHashMap<>();
        for (int i = 0; i < calls.size(); i++) {
            Node node = nodes.owner(nodes.slot(calls.get(i).key()));
            byNode.computeIfAbsent(node, owner -> new ArrayList<>()).add(i);
        }
        List<Optional<Object>> answers = new ArrayList<>(calls.size());
        calls.forEach(call -> answers.add(Optional.empty()));
        List<JedisException> failures = new ArrayList<>(0);
        byNode.forEach((node, some) -> {
            try {
                List<Reply> replies =
                        way.ask(node, some.stream().map(calls::get).toList());
                for (int i = 0; i < replies.size(); i++) {
                    Object answer = followOrSplit(replies.get(i), calls.get(some.get(i)), node, way);
                    answers.set(some.get(i), Optional.ofNullable(answer));
                }
            } catch (JedisException e) {
                failures.add(e);
            }
        });
        if (failures.isEmpty()) {
            return answers;
        }
        StoreException failure = failures.stream().map(this::failed).toList().get(0);
        throw failures.size() == byNode.size()
                ? failure
                : new StoreException("A node of the Redis cluster failed: " + failure.getMessage(), failure);
    }

    /** While a slot is being moved, some of its keys are here and some there, and no node answers about both together. */
    private @Nullable Object followOrSplit(Reply reply, Call call, Node node, Way way) {
        try {
            return follow(reply, call, 0);
        } catch (JedisDataException e) {
            if (!RedisErrors.isTryAgain(e)) {
                throw e;
            }
            if (call.script() == Script.PURGE) {
                return 0L; // The records are purged when the slot has been moved.
            }
            List<Call> parts = call.script() == Script.RENEW ? call.perKey() : List.of();
            if (parts.size() < 2) {
                throw e;
            }
            List<@Nullable Object> answers = new ArrayList<>(parts.size());
            List<Reply> replies = way.ask(node, parts);
            for (int i = 0; i < replies.size(); i++) {
                Object answer = follow(replies.get(i), parts.get(i), 0);
                answers.addAll(answer instanceof List<?> list ? list : List.of());
            }
            return answers;
        }
    }

    @Override
    public void close() {
        nodes.close();
    }
}
