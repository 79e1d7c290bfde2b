package dev.leasehold.redis;

import java.util.List;
import java.util.Optional;
import redis.clients.jedis.exceptions.JedisDataException;

/** A single server, or whichever one a pool of the user's leads to. */
record OneNode(Node node) implements Nodes {
    @Override
    public int slot(byte[] key) {
        return 0;
    }

    @Override
    public Node owner(int slot) {
        return node;
    }

    @Override
    public List<Node> all() {
        return List.of(node);
    }

    @Override
    public Optional<Detour> detour(JedisDataException answer) {
        return Optional.empty();
    }

    @Override
    public void failed() {}

    @Override
    public void close() {
        node.close();
    }
}
