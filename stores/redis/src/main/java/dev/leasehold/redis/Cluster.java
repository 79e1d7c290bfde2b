package dev.leasehold.redis;

import dev.leasehold.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.util.JedisClusterCRC16;

/**
 * The nodes of a cluster, and which of them has which slot. That is asked at the start, and again when somebody turns out
 * to have moved or to be gone.
 */
final class Cluster implements Nodes {
    /** How long a node has to answer before the next is asked too. A node that is well answers much sooner. */
    private static final Duration HEAD_START = Duration.ofMillis(250);

    private final Set<HostAndPort> seeds;
    private final Function<HostAndPort, Node> opener;
    private final Duration limit;
    private final Map<HostAndPort, Node> nodes = new ConcurrentHashMap<>();
    private final ReentrantLock asking = new ReentrantLock();
    private volatile List<Range> ranges = List.of();
    private volatile boolean isStale = true;

    /** Which node has the slots from one to another. */
    private record Range(int first, int last, HostAndPort owner) {}

    /** @param limit how long to wait for one that says who has which slot */
    Cluster(Set<HostAndPort> seeds, Function<HostAndPort, Node> opener, Duration limit) {
        this.seeds = Set.copyOf(seeds);
        this.opener = opener;
        this.limit = limit;
    }

    @Override
    public int slot(byte[] key) {
        return JedisClusterCRC16.getSlot(key);
    }

    @Override
    public Node owner(int slot) {
        refresh();
        for (Range range : ranges) {
            if (range.first <= slot && slot <= range.last) {
                return node(range.owner);
            }
        }
        isStale = true;
        throw new StoreUnavailableException("No node of the Redis cluster has slot " + slot + " now.");
    }

    @Override
    public List<Node> all() {
        refresh();
        return ranges.stream().map(Range::owner).distinct().map(this::node).toList();
    }

    private Node node(HostAndPort address) {
        return nodes.computeIfAbsent(address, opener);
    }

    @Override
    public Optional<Detour> detour(JedisDataException answer) {
        if (answer instanceof JedisMovedDataException moved) {
            isStale = true;
            return Optional.of(new Detour(node(moved.getTargetNode()), false));
        }
        return answer instanceof JedisAskDataException ask
                ? Optional.of(new Detour(node(ask.getTargetNode()), true))
                : Optional.empty();
    }

    @Override
    public void failed() {
        isStale = true;
    }

    /** One asks, and whoever comes meanwhile goes by what was known before. */
    private void refresh() {
        if (!isStale || !(ranges.isEmpty() ? lock() : asking.tryLock())) {
            return;
        }
        try {
            if (isStale) {
                isStale = false;
                boolean isAnswered = false;
                try {
                    ranges = ask();
                    isAnswered = true;
                } finally {
                    isStale |= !isAnswered;
                }
            }
        } finally {
            asking.unlock();
        }
    }

    private boolean lock() {
        asking.lock();
        return true;
    }

    /**
     * Takes the first answer of any node. Nodes to which a connection is open are asked first; a node that is silent
     * delays the question to the next one by {@link #HEAD_START} only.
     */
    private List<Range> ask() {
        Set<HostAndPort> known = new LinkedHashSet<>();
        ranges.forEach(range -> known.add(range.owner));
        known.addAll(seeds);
        List<HostAndPort> likely = new ArrayList<>(known);
        likely.sort(Comparator.comparing(address -> !node(address).isOpen()));
        try {
            List<Supplier<List<Range>>> questions = new ArrayList<>();
            likely.forEach(address -> questions.add(() -> slots(address)));
            return FirstAnswer.of(questions, HEAD_START, limit);
        } catch (JedisException e) {
            throw RedisErrors.isPassing(e)
                    ? new StoreUnavailableException(
                            "No node of the Redis cluster says who has which slot: " + e.getMessage(), e)
                    : RedisErrors.translate(e);
        } catch (TimeoutException e) {
            throw new StoreUnavailableException(
                    "No node of the Redis cluster said within " + limit.toMillis() + " ms who has which slot.", e);
        }
    }

    private List<Range> slots(HostAndPort address) {
        Object answer =
                node(address).ask(Call.of(Command.CLUSTER, Bytes.of("SLOTS"))).value();
        if (answer instanceof JedisDataException error) {
            throw error;
        }
        List<Range> read = read(address, (List<?>) answer);
        if (read.isEmpty()) {
            // A node that lost its nodes.conf knows of no other node. Another node may know more.
            throw new JedisException(
                    address + " answers CLUSTER SLOTS with no slots, so it belongs to no cluster now.");
        }
        return read;
    }

    private static List<Range> read(HostAndPort asked, @Nullable List<?> answer) {
        List<Range> read = new ArrayList<>();
        for (Object part : answer == null ? List.of() : answer) {
            List<?> range = (List<?>) part;
            List<?> owner = (List<?>) range.get(2);
            // Without a name, it is the one that was asked: at another port, or at the same.
            String host = owner.get(0) == null ? "" : Bytes.text(owner.get(0));
            int port = ((Long) owner.get(1)).intValue();
            HostAndPort address = new HostAndPort(host.isEmpty() ? asked.getHost() : host, port);
            read.add(new Range(((Long) range.get(0)).intValue(), ((Long) range.get(1)).intValue(), address));
        }
        return List.copyOf(read);
    }

    @Override
    public void close() {
        Stream.of(nodes.values().toArray(Node[]::new)).forEach(Node::close);
    }
}
