package dev.leasehold.redis;

import dev.leasehold.store.Key;
import dev.leasehold.store.LeaseSnapshot;
import dev.leasehold.store.ListRequest;
import dev.leasehold.store.Page;
import dev.leasehold.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import redis.clients.jedis.Protocol.Command;

/**
 * Walks over all records. There is no index: it would be a second key, in another slot of a cluster, and one more write
 * for each lease. So a page costs a walk over all keys of the database, some thousand to a trip.
 */
final class Listing {
    private static final int KEYS_TO_A_TRIP = 1_000;
    private static final int MOST_TO_A_SCRIPT = 128;

    private final Redis redis;
    private final Keyspace keys;

    Listing(Redis redis, Keyspace keys) {
        this.redis = redis;
        this.keys = keys;
    }

    /** Takes some keys, and says whether it wants more. */
    private interface Visitor {
        boolean visit(List<Key> some);
    }

    /** A key that is there all the time is visited at least once. */
    private void walk(String beginning, Visitor visitor) {
        byte[] pattern = keys.pattern(beginning);
        for (Node node : redis.nodes.all()) {
            byte[] cursor = Bytes.NO;
            do {
                Call scan = Call.of(
                        Command.SCAN, cursor, Bytes.of("MATCH"), pattern, Bytes.of("COUNT"), Bytes.of(KEYS_TO_A_TRIP));
                List<?> answer = (List<?>) Objects.requireNonNull(redis.ask(node, scan));
                cursor = (byte[]) answer.get(0);
                List<Key> found = new ArrayList<>();
                for (Object place : (List<?>) answer.get(1)) {
                    keys.key((byte[]) place).ifPresent(found::add);
                }
                if (!visitor.visit(found)) {
                    return;
                }
            } while (!Bytes.text(cursor).equals("0"));
        }
    }

    Page list(ListRequest request) {
        TreeSet<Key> first = new TreeSet<>();
        walk(request.prefix(), some -> {
            List<Key> covered = some.stream().filter(request::covers).toList();
            first.addAll(wanted(request, covered));
            while (first.size() > request.limit() + 1) {
                first.pollLast();
            }
            return true;
        });
        boolean hasMore = first.size() > request.limit();
        if (hasMore) {
            first.pollLast();
        }
        List<LeaseSnapshot> records = find(first).values().stream()
                .filter(found -> request.states().contains(found.record().state()))
                .toList();
        return new Page(records, hasMore ? first.last() : null);
    }

    /** Those in one of the wanted states; all of them, unread, if every state is wanted. */
    private Collection<Key> wanted(ListRequest request, List<Key> some) {
        return request.states().size() == State.values().length
                ? some
                : find(some).values().stream()
                        .filter(found ->
                                request.states().contains(found.record().state()))
                        .map(LeaseSnapshot::key)
                        .toList();
    }

    /** Those that there are, in the order of the keys. */
    private Map<Key, LeaseSnapshot> find(Collection<Key> wanted) {
        List<Key> asked = List.copyOf(wanted);
        List<Call> calls =
                asked.stream().map(key -> Call.of(Script.FIND, keys.of(key))).toList();
        List<Optional<Object>> answers = redis.askAll(calls, Node::ask);
        Map<Key, LeaseSnapshot> found = new LinkedHashMap<>();
        for (int i = 0; i < asked.size(); i++) {
            Key key = asked.get(i);
            Records.snapshot(key, answers.get(i).orElseThrow()).ifPresent(record -> found.put(key, record));
        }
        return found;
    }

    int purge(Duration retained, int limit) {
        int[] dropped = {0};
        walk("", some -> {
            List<Key> left = some;
            while (!left.isEmpty() && dropped[0] < limit) {
                int now = Math.min(left.size(), limit - dropped[0]);
                dropped[0] += purge(retained, left.subList(0, now));
                left = left.subList(now, left.size());
            }
            return dropped[0] < limit;
        });
        return dropped[0];
    }

    private int purge(Duration retained, List<Key> some) {
        List<byte[]> places = some.stream().map(keys::of).toList();
        List<Call> calls = redis.nodes.groups(places, place -> place, MOST_TO_A_SCRIPT).stream()
                .map(group -> Call.of(Script.PURGE, group, List.of(Bytes.of(retained))))
                .toList();
        return redis.askAll(calls, Node::ask).stream()
                .mapToInt(answer -> ((Long) answer.orElseThrow()).intValue())
                .sum();
    }
}
