package dev.leasehold.faults;

import dev.leasehold.servers.SqlServer;
import dev.leasehold.tck.history.HistoryEvent.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** All faults, in the order of the matrix. */
final class Faults {
    private static final Duration TTL = Shift.TTL;
    private static final Duration PAST_TTL = TTL.plusMillis(700);
    private static final Duration TWO_TTLS = TTL.multipliedBy(2);
    /** Longer than the limit of a call too. */
    private static final Duration PAST_PATIENCE = Shift.PATIENCE.plusSeconds(1);

    private static final Duration BRIEFLY = Duration.ofMillis(400);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration BACK = HOUR.negated();
    /** What rests on commits that are kept, and on a store's clock that does not jump forward. */
    private static final Set<String> ASSUMED = Set.of("S1", "S7", "justified loss");

    private static final String LOST_REPLIES = "replies lost, the one to COMMIT too";
    private static final String SLOW = "store slow: 0.9 TTL";
    private static final String VERY_SLOW = "store slow: 3 TTL (1.25 TTL where there is no network)";
    private static final String LATE = "requests that arrive late";
    private static final String TWICE = "requests that arrive twice";
    private static final String FULL = "no room";

    static final List<FaultCase> ALL = List.of(
            FaultCase.of("kill", "client killed (`kill -9`)", TTL, ProcessFaults::kill),
            FaultCase.of("stop", "client stopped past its TTL (SIGSTOP)", PAST_TTL, ProcessFaults::stop)
                    .expecting(Kind.LOST, Kind.STALE_EFFECT),
            FaultCase.of(
                            "suspend",
                            "client asleep past its TTL, monotonic clock with it",
                            PAST_TTL,
                            ProcessFaults::suspend)
                    .expecting(Kind.LOST, Kind.STALE_EFFECT),
            FaultCase.of("clock-ahead", "client's wall clock 1 h ahead, then back", TTL, ProcessFaults.wallClock(HOUR)),
            FaultCase.of(
                    "clock-behind", "client's wall clock 1 h behind, then back", TTL, ProcessFaults.wallClock(BACK)),
            FaultCase.of("partition", "partition, both ways", PAST_TTL, NetworkFaults::partition)
                    .where(Faults::hasNetwork)
                    .expecting(Kind.LOST),
            FaultCase.of("no-replies", "partition, replies only", PAST_TTL, NetworkFaults::withholdReplies)
                    .where(Faults::hasNetwork)
                    .expecting(Kind.LOST),
            FaultCase.of(
                            "frozen",
                            "client frozen in a transaction, before COMMIT",
                            PAST_PATIENCE,
                            NetworkFaults::freeze)
                    .where(Faults::hasTransactions),
            FaultCase.of("lost-replies", LOST_REPLIES, TTL, NetworkFaults.loseReplies(0.15))
                    .where(Faults::hasNetwork),
            FaultCase.of("lost-replies", LOST_REPLIES, TTL, ProcessFaults::loseReplies)
                    .where(Faults::isLocal),
            FaultCase.of("slow", SLOW, PAST_TTL, NetworkFaults.slow(share(0.9))).where(Faults::hasNetwork),
            FaultCase.of("slow", SLOW, PAST_TTL, ProcessFaults.slowReplies(share(0.9)))
                    .where(Faults::isLocal),
            FaultCase.of("very-slow", VERY_SLOW, TWO_TTLS, NetworkFaults.slow(share(3)))
                    .where(Faults::hasNetwork)
                    .expecting(Kind.LOST),
            FaultCase.of("very-slow", VERY_SLOW, TWO_TTLS, ProcessFaults.slowReplies(share(1.25)))
                    .where(Faults::isLocal)
                    .expecting(Kind.LOST),
            FaultCase.of("late", LATE, PAST_TTL, NetworkFaults.late(share(0.6), TTL, 0.15))
                    .where(Faults::hasNetwork),
            FaultCase.of("late", LATE, PAST_TTL, ProcessFaults::delayRequests).where(Faults::isLocal),
            FaultCase.of("twice", TWICE, PAST_TTL, RedisFaults::replay).where(Faults::isRedis),
            FaultCase.of("twice", TWICE, PAST_TTL, ProcessFaults::repeatRequests)
                    .where(Faults::isLocal),
            FaultCase.of("ghosts", "requests of the dead that arrive again", PAST_TTL, Ghosts::rise),
            FaultCase.of("restart", "store killed and started again", BRIEFLY, StoreFaults::restart)
                    .where(Faults::hasNetwork),
            FaultCase.of("hang", "store stopped past the TTL", PAST_TTL, StoreFaults::pause)
                    .where(Faults::hasNetwork)
                    .expecting(Kind.LOST),
            FaultCase.of("lost-commits", "failover that loses commits", BRIEFLY, StoreFaults::loseCommits)
                    .waiving(ASSUMED),
            FaultCase.of("server-ahead", "store's clock 1 h ahead", BRIEFLY, StoreFaults.clockForward(HOUR))
                    .where(bed -> bed.clock().isPresent())
                    .waiving(ASSUMED),
            FaultCase.of("server-behind", "store's clock 1 h back, holders dead", BRIEFLY, StoreFaults.clockBack(HOUR))
                    .where(bed -> bed.clock().isPresent()),
            FaultCase.of(
                            "summer-ends",
                            "local time of the store goes back: end of summer time",
                            TWO_TTLS,
                            SummerTime.END)
                    .where(Faults::hasLocalTime),
            FaultCase.of(
                            "summer-begins",
                            "local time of the store goes forward: begin of summer time",
                            TWO_TTLS,
                            SummerTime.BEGIN)
                    .where(Faults::hasLocalTime),
            FaultCase.of("deleted", "records deleted by hand", BRIEFLY, StoreFaults::deleteRecords)
                    .waiving(ASSUMED),
            FaultCase.of("evicted", "records evicted", BRIEFLY, RedisFaults::evict)
                    .where(Faults::isRedis)
                    .waiving(ASSUMED),
            FaultCase.of("locked", "records locked by a stranger past the TTL", PAST_TTL, StoreFaults::lockRecords)
                    .where(bed -> bed.table().isPresent())
                    .expecting(Kind.LOST),
            FaultCase.of("full", FULL, PAST_TTL, ProcessFaults::fillDisk)
                    .where(Faults::isLocal)
                    .expecting(Kind.LOST),
            FaultCase.of("full", FULL, PAST_TTL, StoreFaults::fillDisk).where(bed -> hasNetwork(bed) && !isRedis(bed)),
            // Leases live on meanwhile, so that only those who ask notice, and only once they ask no more.
            FaultCase.of("full", FULL, PAST_PATIENCE, RedisFaults::fill)
                    .where(Faults::isRedis)
                    .expecting(Kind.UNKNOWN),
            FaultCase.of("connections", "no connection to be had", PAST_TTL, StoreFaults::exhaustConnections)
                    .where(bed -> bed.crowd().isPresent())
                    .expecting(Kind.LOST));

    private Faults() {}

    private static boolean hasNetwork(Bed bed) {
        return bed.proxy().isPresent();
    }

    private static boolean isLocal(Bed bed) {
        return bed.proxy().isEmpty();
    }

    /** On PostgreSQL each verb is one statement, which the server commits by itself. */
    private static boolean hasTransactions(Bed bed) {
        return bed.kind() == StoreKind.MARIADB;
    }

    private static boolean hasLocalTime(Bed bed) {
        return bed.server().orElse(null) instanceof SqlServer;
    }

    private static boolean isRedis(Bed bed) {
        return bed.redis().isPresent();
    }

    private static Duration share(double ofTtl) {
        return Duration.ofMillis((long) (TTL.toMillis() * ofTtl));
    }

    /** Those that can be injected there, of these names; all if no name is given. */
    static List<FaultCase> on(Bed bed, List<String> names) {
        return ALL.stream()
                .filter(fault -> fault.fits().test(bed))
                .filter(fault -> names.isEmpty() || names.contains(fault.name()))
                .toList();
    }
}
