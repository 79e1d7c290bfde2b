package dev.leasehold.faults;

import dev.leasehold.servers.Server;
import dev.leasehold.tck.proxy.FaultProxy;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What a fault finds when it strikes.
 *
 * @param victims workers that hold a lease each, and keep it
 * @param random the cell's dice
 */
record Scene(Bed bed, Crew crew, List<Member> victims, RandomGenerator random) {
    FaultProxy proxy() {
        return bed.proxy().orElseThrow();
    }

    Server server() {
        return bed.server().orElseThrow();
    }

    Bed.Records records() {
        return bed.records().orElseThrow();
    }

    SqlRecords table() {
        return bed.table().orElseThrow();
    }
}
