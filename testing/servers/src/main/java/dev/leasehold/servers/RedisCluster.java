package dev.leasehold.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three Redis servers that share the keys and have one password, without replicas. Always built in. */
public final class RedisCluster implements AutoCloseable {
    private static final int NODES = 3;
    private static final int SLOTS = 16_384;
    private static final int FORM_SECONDS = 30;

    private final List<RedisServer> nodes;

    private RedisCluster(List<RedisServer> nodes) {
        this.nodes = List.copyOf(nodes);
    }

    /** Starts the three and returns when every node can serve every key's owner. */
    public static RedisCluster start(Config config) {
        Config ofNode = config.with("cluster-enabled", "yes").with("cluster-node-timeout", "2000");
        String password = Passwords.fresh();
        List<RedisServer> nodes = new ArrayList<>();
        try {
            for (int node = 0; node < NODES; node++) {
                nodes.add(RedisServer.builtIn(ofNode, password, false));
            }
            RedisCluster cluster = new RedisCluster(nodes);
            cluster.form();
            return cluster;
        } catch (IOException e) {
            nodes.forEach(RedisServer::close);
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            nodes.forEach(RedisServer::close);
            throw e;
        }
    }

    /** The servers, each with a third of the slots, in order. */
    public List<RedisServer> nodes() {
        return nodes;
    }

    /** Ends them all. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    private void form() throws IOException {
        for (int node = 0; node < NODES; node++) {
            try (RedisConnection connection = nodes.get(node).connect()) {
                connection.call(claim(node));
                if (node > 0) {
                    String first = Integer.toString(nodes.get(0).port());
                    connection.call("CLUSTER", "MEET", "127.0.0.1", first);
                }
            }
        }
        if (!Waiting.until(() -> nodes.stream().allMatch(RedisCluster::knowsAll), FORM_SECONDS)) {
            throw new IllegalStateException("The Redis cluster did not form within " + FORM_SECONDS + " s.");
        }
    }

    /** CLUSTER ADDSLOTS with every slot of the node. */
    private static String[] claim(int node) {
        IntStream slots = IntStream.range(node * SLOTS / NODES, (node + 1) * SLOTS / NODES);
        return Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), slots.mapToObj(Integer::toString))
                .toArray(String[]::new);
    }

    private static boolean knowsAll(RedisServer node) {
        try (RedisConnection connection = node.connect()) {
            String info = String.join("", connection.call("CLUSTER", "INFO"));
            return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:" + SLOTS);
        } catch (IOException e) {
            return false;
        }
    }
}
