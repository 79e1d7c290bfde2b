package dev.leasehold.faults;

import dev.leasehold.servers.RedisServer;
import dev.leasehold.servers.Server;
import dev.leasehold.tck.proxy.FaultProxy;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a fault finds when it strikes.
 *
 * @param prefix of the keys that the crew works on
 * @param victims workers that hold a lease each, and keep it: the first has the first key, and so on
 * @param random the cell's dice
 */
record Scene(Bed bed, Crew crew, String prefix, List<Member> victims, RandomGenerator random) {
    FaultProxy proxy() {
        return bed.proxy().orElseThrow();
    }

    Server server() {
        return bed.server().orElseThrow();
    }

    RedisServer redis() {
        return bed.redis().orElseThrow();
    }

    Bed.StoreClock clock() {
        return bed.clock().orElseThrow();
    }

    SqlRecords table() {
        return bed.table().orElseThrow();
    }
}
