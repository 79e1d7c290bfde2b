package dev.leasehold.redis;

import dev.leasehold.store.LeaseRef;
import dev.leasehold.store.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The verb renew, many leases to a trip and some of them to a script: the others whom the server has to serve wait for as
 * long as one script takes.
 */
final class Renewing {
    private static final int MOST_AT_ONCE = 2_048;
    /** A third of a trip: 3 to 4 ms in which the server does nothing else. */
    private static final int MOST_TO_A_SCRIPT = 683;

    private final Redis redis;
    private final Keyspace keys;

    Renewing(Redis redis, Keyspace keys) {
        this.redis = redis;
        this.keys = keys;
    }

    List<Renewal> renew(List<LeaseRef> leases) {
        List<Renewal> renewals = new ArrayList<>(leases.size());
        for (int from = 0; from < leases.size(); from += MOST_AT_ONCE) {
            renewTogether(leases.subList(from, Math.min(leases.size(), from + MOST_AT_ONCE)), renewals);
        }
        return renewals;
    }

    Optional<Renewal> renew(LeaseRef lease, Duration ttl) {
        Call call = Call.of(
                Script.RENEW,
                keys.of(lease.key()),
                Bytes.of(lease.nonce().toString()),
                Bytes.of(lease.fence().value()),
                Bytes.of(ttl));
        return redis.askAll(List.of(call), Node::askAtOnce)
                .get(0)
                .map(answer -> ((List<?>) answer).get(0))
                .map(renewed -> new Renewal(lease, Bytes.time(renewed)));
    }

    private void renewTogether(List<LeaseRef> leases, List<Renewal> renewals) {
        List<List<LeaseRef>> groups = redis.nodes.groups(leases, lease -> keys.of(lease.key()), MOST_TO_A_SCRIPT);
        List<Optional<Object>> answers =
                redis.askAll(groups.stream().map(this::call).toList(), Node::askAtOnce);
        for (int i = 0; i < groups.size(); i++) {
            List<?> remaining = (List<?>) answers.get(i).orElse(List.of());
            for (int j = 0; j < remaining.size(); j++) {
                Object ttl = remaining.get(j);
                if (ttl != null) {
                    renewals.add(new Renewal(groups.get(i).get(j), Bytes.time(ttl)));
                }
            }
        }
    }

    private Call call(List<LeaseRef> leases) {
        List<byte[]> names = new ArrayList<>(leases.size());
        List<byte[]> arguments = new ArrayList<>(2 * leases.size());
        for (LeaseRef lease : leases) {
            names.add(keys.of(lease.key()));
            arguments.add(Bytes.of(lease.nonce().toString()));
            arguments.add(Bytes.of(lease.fence().value()));
        }
        return Call.of(Script.RENEW, names, arguments);
    }
}
